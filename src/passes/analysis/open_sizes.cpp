#include "passes/analysis/open_sizes.h"

#include <algorithm>

namespace sunmao {
namespace {

bool is_open(const TensorType& t) { return !t.dims() && t.rank != kUnknownRank && !t.is_unknown_dtype(); }
bool is_open(const ShapeType& s) { return !s.values && s.rank != kUnknownRank; }
bool is_open(const PrimType& p) { return !p.value && p.dtype == DType::int_(64); }

// True when a number of the one type, or a field that is one, is a size in the other.
bool tells_a_number(const Type& given, const Type& cast) {
  const auto *number = find<PrimType>(given), *size = find<PrimType>(cast);
  if (number && size) return is_open(*number) && !is_open(*size);
  const auto *fields = find<TupleType>(given), *parts = find<TupleType>(cast);
  for (size_t i = 0; fields && parts && fields->fields.size() == parts->fields.size() && i < parts->fields.size(); ++i)
    if (tells_a_number(fields->fields[i], parts->fields[i])) return true;
  return false;
}

}  // namespace

Type with_sizes(const Type& type, const std::function<Scalar()>& size) {
  auto sizes = [&](int rank) {
    std::vector<Scalar> out;
    for (int i = 0; i < rank; ++i) out.push_back(size());
    return out;
  };
  if (const auto* t = find<TensorType>(type))
    return is_open(*t) ? TensorType::make(sizes(t->rank), t->dtype, t->vdevice, t->span) : type;
  if (const auto* s = find<ShapeType>(type)) return is_open(*s) ? ShapeType::make(sizes(s->rank), s->span) : type;
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return type;
  std::vector<Type> fields;
  for (const Type& f : tuple->fields) fields.push_back(with_sizes(f, size));
  return fields == tuple->fields ? type : TupleType::make(std::move(fields), tuple->span);
}

bool leaves_sizes_open(const Type& type) {
  if (const auto* t = find<TensorType>(type)) return is_open(*t);
  if (const auto* s = find<ShapeType>(type)) return is_open(*s);
  const auto* tuple = find<TupleType>(type);
  return tuple && std::ranges::any_of(tuple->fields, leaves_sizes_open);
}

bool says_open_sizes(const Binding& b) {
  if (!b.is_match_cast()) return false;
  if (tells_a_number(b.value->type, b.cast_type)) return true;
  return leaves_sizes_open(b.value->type) && !leaves_sizes_open(b.cast_type);
}

}  // namespace sunmao
