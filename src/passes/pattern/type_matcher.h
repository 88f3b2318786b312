// TypeMatcher: matching of types whose symbols stand for dimensions.
#pragma once
#include "ir/infer.h"
#include "sym/walk.h"

namespace sunmao {

/// Matches types against those of patterns, and keeps the bindings of the patterns' symbols.
class TypeMatcher {
 public:
  /// True when type `given` matches `wanted`; parts that `wanted` leaves unknown match anything.
  bool match(const Type& wanted, const Type& given);
  /// True when corresponding elements are provably equal; binds no symbols.
  bool equal(const std::vector<Scalar>& a, const std::vector<Scalar>& b);

  /// `mark` returns a checkpoint of the bindings, `undo` removes those made after it.
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
