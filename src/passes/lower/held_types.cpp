#include "passes/lower/held_types.h"

#include <algorithm>

namespace sunmao {
namespace {

template <class F>
Type map_fields(const TupleType& tuple, F f) {
  std::vector<Type> fields;
  for (const Type& field : tuple.fields) fields.push_back(f(field));
  return TupleType::make(std::move(fields), tuple.span);
}

}  // namespace

Type handle_type() { return TensorType::make({}, DType::handle()); }

bool is_handle(const Type& type) {
  const auto* tensor = type ? find<TensorType>(type) : nullptr;
  return tensor && tensor->dtype == DType::handle();
}

bool holds_handle(const Type& type) {
  const auto* tuple = type ? find<TupleType>(type) : nullptr;
  return tuple ? std::ranges::any_of(tuple->fields, holds_handle) : is_handle(type);
}

Type held_type(const Type& type) {
  if (!type) return type;
  if (const auto* tuple = find<TupleType>(type)) {
    const bool is_held = std::ranges::all_of(tuple->fields, [](const Type& f) { return held_type(f) == f; });
    return is_held ? type : map_fields(*tuple, held_type);
  }
  if (const auto* tensor = find<TensorType>(type))
    return tensor->rank == kUnknownRank || tensor->dtype.is_void() ? handle_type() : type;
  if (const auto* shape = find<ShapeType>(type)) return shape->rank == kUnknownRank ? handle_type() : type;
  const auto* number = find<PrimType>(type);
  return number && number->dtype.is_integral() ? type : handle_type();
}

Type opened(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) return map_fields(*tuple, opened);
  if (const auto* tensor = find<TensorType>(type))
    return tensor->rank == 0 ? TensorType::make({}, tensor->dtype, tensor->vdevice)
                             : TensorType::make_unknown(tensor->dtype, tensor->rank, tensor->vdevice);
  if (const auto* shape = find<ShapeType>(type)) return ShapeType::make_unknown(shape->rank);
  const auto* number = find<PrimType>(type);
  return number ? PrimType::make(number->dtype) : type;
}

}  // namespace sunmao
