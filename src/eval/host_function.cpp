#include "eval/host_function.h"

#include "eval/element.h"

namespace sunmao {
namespace {

// Converts a tensor of rank 0 to a number, and an integer to a float when the dtype is a float.
Value as_number(DType dtype, Value value) {
  if (const Array* a = value.array(); a && a->rank() == 0) {
    const Number n = load_element(*a, 0);
    value = marked(a->dtype().is_float() ? Value(n.f) : Value(n.i), value.seen);
  }
  if (const auto* integer = std::get_if<int64_t>(&value.v); integer && dtype.is_float())
    return marked(static_cast<double>(*integer), value.seen);
  return value;
}

}  // namespace

Value as_type(const Type& type, Value value) {
  if (const auto* tuple = find<TupleType>(type)) {
    if (value.is_nothing() && tuple->fields.empty()) return ValueTuple();
    const std::shared_ptr<ValueTuple> fields = value.shared_tuple();
    if (!fields || fields->size() != tuple->fields.size()) return value;
    for (size_t i = 0; i < fields->size(); ++i) (*fields)[i] = as_type(tuple->fields[i], std::move((*fields)[i]));
    return value;
  }
  if (find<ShapeType>(type) && value.tuple()) {
    ShapeValue shape;
    Seen seen = value.seen;
    for (const Value& field : *value.tuple()) {
      const auto* size = std::get_if<int64_t>(&field.v);
      if (!size) return value;
      shape.push_back(*size);
      seen = std::max(seen, field.seen);
    }
    return marked(std::move(shape), seen);
  }
  const auto* prim = find<PrimType>(type);
  return prim ? as_number(prim->dtype, std::move(value)) : value;
}

}  // namespace sunmao
