// FlatFunction: a graph-level function as lists of parameters, bindings and results, from which changed functions are
// built. Any subset of the bindings makes a function.
#pragma once
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/walk.h"

namespace sunmao::reduction {

/// A binding and the block that it stands in.
struct FlatBinding {
  Binding binding;
  size_t block = 0;
  bool is_dataflow = false;
};

struct FlatFunction {
  Ref<Function> original;
  std::vector<Ref<Var>> inputs, weights;  // the parameters before and from `num_input` on
  std::vector<FlatBinding> bindings;
  std::vector<Expr> results;
  /// All variables that the function has bound; those without a binding have been removed.
  std::unordered_set<Ref<Var>> known = {};
  /// Values that nothing uses become results.
  bool returns_unused = true;
  /// Parameters and results stay, as callers expect them; removed values become zeros, not parameters.
  bool keeps_signature = false;
};

FlatFunction flatten(const Ref<Function>& function);

/// Changes on the way to the new function; what is not set leaves everything as it is.
struct FlatEdits {
  std::unordered_map<Ref<Var>, Expr> values = {};   // what stands for variables whose bindings are removed
  std::function<Expr(const Expr& leaf)> leaf = {};  // constants, shapes, literals
  std::function<Type(const Type& type)> type = {};  // types of parameters, of casts, and those that calls state
  std::function<Attrs(const Call& call)> attrs = {};
};

/// Thrown where a change leads to no function.
struct NoCandidate {};

/// Builds the function. A removed value that a binding uses becomes a parameter, or zeros; parameters that nothing
/// uses are dropped, with all attributes that list parameters or results.
Ref<Function> build(const FlatFunction& flat, const FlatEdits& edits = {});

}  // namespace sunmao::reduction
