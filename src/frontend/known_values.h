// KnownValues: what is known, while reading, about the values of a graph: elements in terms of symbols, and data
// computed from weights and constants alone.
#pragma once
#include <optional>
#include <unordered_map>

#include "eval/shape_values.h"
#include "support/array.h"

namespace sunmao {

class KnownValues {
 public:
  void note_input(const Ref<Var>& var) { shapes_.note_parameter(var); }
  void note_weight(const Ref<Var>& var, const Array& data);
  /// Elements that are longer expressions than `is_short` allows are forgotten.
  void note_binding(const Ref<Var>& var, const Expr& value);
  /// Notes what became known later; what was computed from `var` is known in these terms, too.
  void note_elements(const Ref<Var>& var, const std::vector<Scalar>& elements);

  /// Returns the elements of a small tensor of integers or bools; nullopt when one is unknown.
  std::optional<SymbolicTensor> elements(const Expr& e);
  /// Returns the data of a constant, a weight, or a small tensor computed from them.
  std::optional<Array> data(const Expr& e);
  /// Returns the vectors that a variable was bound to the concatenation of; else none.
  std::vector<Expr> parts(const Expr& var) const;
  /// Returns the variable whose elements a variable holds in another form or integer dtype; else the variable itself.
  Expr origin(const Expr& var) const;

 private:
  bool derive(const Ref<Var>& var, int depth);
  void note(const Ref<Var>& var, std::vector<SymbolicTensor> values);
  Expr constant_of(const Expr& e, int depth);
  Expr evaluated(const Call& call, int depth);

  ShapeValues shapes_{Int32Sizes::Fit};  // exporters compute sizes in int32
  std::unordered_map<Ref<Var>, Array> weights_;
  std::unordered_map<Ref<Var>, Expr> bound_;      // the value that a variable is bound to
  std::unordered_map<Ref<Var>, Expr> constants_;  // what evaluating it gave; null when it is unknown
  int notes_ = 0;                                 // made by `note_elements`
  std::unordered_map<Ref<Var>, int> derived_at_;  // as many notes
};

}  // namespace sunmao
