// Matching types, with symbols that stand for dimensions.
#pragma once
#include "ir/infer.h"
#include "sym/walk.h"

namespace sunmao {

/// Compares types against those of a pattern, and keeps what the symbols of the pattern stand for.
class TypeMatcher {
 public:
  /// Whether a value of type `given` is of type `wanted`; what `wanted` leaves open may be anything.
  bool match(const Type& wanted, const Type& given);
  /// Whether each is provably equal to its counterpart; no symbol is bound.
  bool equal(const std::vector<Scalar>& a, const std::vector<Scalar>& b);

  /// How much is bound, and the way back to it.
  size_t mark() const { return order_.size(); }
  void undo(size_t mark);

 private:
  bool match(const Scalar& wanted, const Scalar& given);
  bool match(const std::vector<Scalar>& wanted, const std::vector<Scalar>& given);
  bool match_tensor(const TensorType& wanted, const TensorType& given);
  bool match_shape(const ShapeType& wanted, const ShapeType& given);

  Analyzer analyzer_;
  Substitution symbols_;
  std::vector<Ref<SymVar>> order_;
};

}  // namespace sunmao
