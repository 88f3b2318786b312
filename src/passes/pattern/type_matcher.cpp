#include "passes/pattern/type_matcher.h"

#include "ir/equal.h"
#include "ir/type_relation.h"

namespace sunmao {

void TypeMatcher::undo(size_t mark) {
  for (; order_.size() > mark; order_.pop_back()) symbols_.erase(order_.back());
}

bool TypeMatcher::equal(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!analyzer_.can_prove_equal(a[i], b[i])) return false;
  return true;
}

bool TypeMatcher::match(const Scalar& wanted, const Scalar& given) {
  if (Ref<SymVar> symbol = find_ref<SymVar>(wanted); symbol && !symbols_.contains(symbol)) {
    symbols_.emplace(symbol, given);
    order_.push_back(symbol);
    return true;
  }
  return analyzer_.can_prove_equal(substitute(wanted, symbols_), given);
}

bool TypeMatcher::match(const std::vector<Scalar>& wanted, const std::vector<Scalar>& given) {
  if (wanted.size() != given.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!match(wanted[i], given[i])) return false;
  return true;
}

bool TypeMatcher::match_tensor(const TensorType& wanted, const TensorType& given) {
  if (!wanted.is_unknown_dtype() && wanted.dtype != given.dtype) return false;
  if (wanted.rank != kUnknownRank && wanted.rank != given.rank) return false;
  if (wanted.vdevice && !(given.vdevice && same_device(*wanted.vdevice, *given.vdevice))) return false;
  if (!wanted.shape) return true;
  if (!wanted.dims()) return wanted.shape == given.shape;
  return given.dims() && match(*wanted.dims(), *given.dims());
}

bool TypeMatcher::match_shape(const ShapeType& wanted, const ShapeType& given) {
  if (wanted.rank != kUnknownRank && wanted.rank != given.rank) return false;
  return !wanted.values || (given.values && match(*wanted.values, *given.values));
}

bool TypeMatcher::match(const Type& wanted, const Type& given) {
  if (find<AnyType>(wanted)) return true;
  if (!given || given->kind != wanted->kind) return false;
  if (const auto* tensor = find<TensorType>(wanted)) return match_tensor(*tensor, *find<TensorType>(given));
  if (const auto* shape = find<ShapeType>(wanted)) return match_shape(*shape, *find<ShapeType>(given));
  if (const auto* prim = find<PrimType>(wanted)) {
    const auto& other = *find<PrimType>(given);
    return prim->dtype == other.dtype && (!prim->value || (other.value && match(prim->value, other.value)));
  }
  if (const auto* tuple = find<TupleType>(wanted)) {
    const auto& other = *find<TupleType>(given);
    if (tuple->fields.size() != other.fields.size()) return false;
    for (size_t i = 0; i < tuple->fields.size(); ++i)
      if (!match(tuple->fields[i], other.fields[i])) return false;
    return true;
  }
  return structural_equal(wanted, given);
}

}  // namespace sunmao
