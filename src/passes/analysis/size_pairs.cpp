#include "passes/analysis/size_pairs.h"

namespace sunmao {
namespace {

bool add_pairs(const std::vector<Scalar>& expected, const std::vector<Scalar>& given, std::vector<SizePair>& out) {
  for (size_t i = 0; i < expected.size(); ++i) out.push_back({expected[i], given[i]});
  return true;
}

bool add_pairs(const Type& expected, const Type& given, std::vector<SizePair>& out) {
  if (const auto* tuple = find<TupleType>(expected)) {
    const auto* fields = find<TupleType>(given);
    bool is_known = fields && fields->fields.size() == tuple->fields.size();
    for (size_t i = 0; is_known && i < fields->fields.size(); ++i)
      is_known = add_pairs(tuple->fields[i], fields->fields[i], out);
    return is_known;
  }
  const auto *e = find<TensorType>(expected), *g = find<TensorType>(given);
  if (e && g && e->dims() && g->dims() && e->rank == g->rank && e->dtype == g->dtype)
    return add_pairs(*e->dims(), *g->dims(), out);
  const auto *shape = find<ShapeType>(expected), *sizes = find<ShapeType>(given);
  if (shape && sizes && shape->values && sizes->values && shape->rank == sizes->rank)
    return add_pairs(*shape->values, *sizes->values, out);
  const auto *number = find<PrimType>(expected), *known = find<PrimType>(given);
  if (number && known && number->value && known->value) return add_pairs({number->value}, {known->value}, out);
  return false;
}

}  // namespace

std::optional<std::vector<SizePair>> size_pairs(const Type& expected, const Type& given) {
  std::vector<SizePair> out;
  if (!add_pairs(expected, given, out)) return std::nullopt;
  return out;
}

}  // namespace sunmao
