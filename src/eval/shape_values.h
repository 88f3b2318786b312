// Symbolic evaluation of tensors that hold sizes, in terms of the symbols of the shapes they are computed from.
#pragma once
#include <memory>
#include <unordered_map>

#include "eval/symbolic_kernel.h"
#include "ir/expr.h"

namespace sunmao {

/// The known elements of each variable. The bindings of a function must be recorded in program order.
class ShapeValues {
 public:
  explicit ShapeValues(Int32Sizes int32_sizes = Int32Sizes::MayWrap);
  /// Assumes that the symbols defined by the type of a parameter are not negative.
  void note_parameter(const Ref<Var>& var);
  /// Records the elements of `var`, as returned by `values_of` for its value, and makes the assumption of
  /// `note_parameter`.
  void note(const Ref<Var>& var, std::vector<SymbolicTensor> values);
  /// Returns the elements of a small tensor of integers or booleans, or those of each tensor of a tuple. `value` is a
  /// variable, a constant, a tuple, a field of a tuple or a call. Empty when unknown.
  std::vector<SymbolicTensor> values_of(const Expr& value);
  /// Returns the shape that a call computes from a tensor's type or from known elements; null when unknown.
  Expr shape_of(const Call& call);

 private:
  std::vector<SymbolicTensor> results_of(const Call& call);

  std::unordered_map<Ref<Var>, std::vector<SymbolicTensor>> known_;
  const std::unique_ptr<Analyzer> analyzer_;
  const Int32Sizes int32_sizes_;
};

}  // namespace sunmao
