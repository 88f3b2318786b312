#include "compiler/reduction/resize.h"

#include <algorithm>

#include "eval/element.h"

namespace sunmao::reduction {
namespace {

std::vector<Scalar> mapped_sizes(const std::vector<Scalar>& sizes, const MapSize& map) {
  std::vector<Scalar> out;
  for (const Scalar& s : sizes) out.push_back(map(s));
  return out;
}

}  // namespace

Type map_sizes(const Type& type, const MapSize& map) {
  if (!type) return type;
  if (const auto* t = find<TensorType>(type)) {
    const auto* shape = find<ShapeExpr>(t->shape);
    if (!shape) return type;
    std::vector<Scalar> dims = mapped_sizes(shape->values, map);
    return dims == shape->values ? type : TensorType::make(std::move(dims), t->dtype, t->vdevice, t->span);
  }
  if (const auto* s = find<ShapeType>(type))
    return s->values ? ShapeType::make(mapped_sizes(*s->values, map), s->span) : type;
  if (const auto* p = find<PrimType>(type)) return p->value ? PrimType::of_value(map(p->value), p->span) : type;
  if (const auto* t = find<TupleType>(type)) {
    std::vector<Type> fields;
    for (const Type& f : t->fields) fields.push_back(map_sizes(f, map));
    return fields == t->fields ? type : TupleType::make(std::move(fields), t->span);
  }
  return type;
}

Array resized(const Array& array, const std::vector<int64_t>& shape) {
  ArrayBuilder out(array.dtype(), shape);
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < out.count(); ++i) {
    int64_t from = 0, rest = i;
    bool is_inside = true;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    for (size_t d = 0; d < shape.size(); ++d) {
      is_inside &= index[d] < array.shape()[d];
      from = from * array.shape()[d] + index[d];
    }
    if (is_inside) copy_element(array.dtype(), out.data(), i, array.data(), from);
  }
  return std::move(out).finish();
}

Array resized_to(const Array& array, const Type& type) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims() || tensor->dims()->size() != array.shape().size()) return array;
  std::vector<int64_t> shape;
  for (const Scalar& d : *tensor->dims()) {
    const int64_t* size = find_int(d);
    if (!size) return array;
    shape.push_back(*size);
  }
  return shape == array.shape() ? array : resized(array, shape);
}

}  // namespace sunmao::reduction
