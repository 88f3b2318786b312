// Reduction of a model to a small one on which something fails in the same way.
#pragma once
#include <functional>
#include <string>

#include "ir/module.h"

namespace sunmao {

struct ReduceProgress {
  std::string step;
  size_t ops = 0;    // of the smallest model so far
  size_t tries = 0;  // candidates that were tested
};

struct ReduceOptions {
  /// Says whether a model fails in the same way as the one to reduce. It gets well-formed models alone, none of them
  /// twice.
  std::function<bool(const Model& candidate)> fails;
  std::function<void(const ReduceProgress& progress)> on_progress = {};
  /// Polled before each test; the reduction ends with the smallest model so far when it returns true.
  std::function<bool()> is_cancelled = {};
};

struct Reduced {
  Model model;
  size_t tries = 0;
  bool is_stopped = false;
};

/// Reduces a model that fails. The result depends on the model and the answers of `fails` alone. Fails with the
/// violations when the model is not well formed.
Reduced reduce_model(const Model& model, const ReduceOptions& options);

/// Return the module without weights beside it: they are further inputs, or constants where the model has their data.
Module with_weights_as_inputs(const Module& module);
Module with_weights_as_constants(const Model& model);

/// Returns how many calls the graph-level functions of the module have, and how many statements its loop-level ones.
size_t count_calls(const Module& module);
size_t count_statements(const Module& module);

}  // namespace sunmao
