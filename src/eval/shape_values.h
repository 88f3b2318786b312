// Tensors that hold sizes: what they contain, in the symbols of the shapes that they were computed from.
#pragma once
#include <memory>
#include <unordered_map>

#include "eval/symbolic_kernel.h"
#include "ir/expr.h"

namespace sunmao {

/// Follows the bindings of a program in their order.
class ShapeValues {
 public:
  ShapeValues();
  /// The symbols of a parameter's dimensions are not negative.
  void note_parameter(const Ref<Var>& var);
  /// Notes what `var` holds: what `values_of` said of its value.
  void note(const Ref<Var>& var, std::vector<SymbolicTensor> values);
  /// What a leaf or a call of leaves holds: a small integer tensor, or the tensors of a tuple. Empty: nothing is known.
  std::vector<SymbolicTensor> values_of(const Expr& value);
  /// The shape that a call gives, where it is read from a tensor's type or from elements that are known; null
  /// otherwise.
  Expr shape_of(const Call& call);

 private:
  std::vector<SymbolicTensor> results_of(const Call& call);

  std::unordered_map<Ref<Var>, std::vector<SymbolicTensor>> known_;
  const std::unique_ptr<Analyzer> analyzer_;
};

}  // namespace sunmao
