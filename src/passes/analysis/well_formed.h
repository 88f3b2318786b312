// Analysis: whether a module or a function is well formed, by the verifier's rules for normal form, by the normal forms
// that custom ops define, and by the signatures of the loop-level functions it calls.
#pragma once
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace sunmao {

struct WellFormedOptions {
  bool check_types = true;  // false: type errors and call_tir calls are not reported
};

/// Returns the violations: those that the verifier finds, then those of calls of custom ops, then those of call_tir
/// calls. Empty when the module is well formed.
std::vector<Diagnostic> check_well_formed(const Module& module, WellFormedOptions options = {});
/// Checks a single function; that it refers to functions of a module which is not given (E0407) is allowed.
std::vector<Diagnostic> check_well_formed(const Ref<Function>& function, WellFormedOptions options = {});

/// Returns the module with the declared result types that contradict the function bodies (E0417) replaced by the
/// inferred ones.
Module with_computed_results(const Module& module);

}  // namespace sunmao
