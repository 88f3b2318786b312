#include "codegen/vm/size_values.h"

namespace sunmao {

std::optional<std::vector<Scalar>> sizes_of(const Type& type) {
  if (const auto* t = find<TensorType>(type)) return t->dims() ? std::optional(*t->dims()) : std::nullopt;
  if (const auto* shape = find<ShapeType>(type)) return shape->values;
  const auto* number = find<PrimType>(type);
  if (!number || !number->value || !number->dtype.is_integral()) return std::nullopt;
  return std::vector{number->value};
}

Type type_of_sizes(const Type& type) {
  if (const auto* shape = find<ShapeType>(type); shape && shape->rank != kUnknownRank)
    return TensorType::make({IntImm::make(DType::int_(64), shape->rank)}, DType::int_(64));
  const auto* number = find<PrimType>(type);
  return number && number->dtype.is_integral() ? TensorType::make({}, DType::int_(64)) : nullptr;
}

bool is_number_alone(const Type& type) {
  const auto* number = find<PrimType>(type);
  return number && number->dtype.is_integral() && !number->value;
}

}  // namespace sunmao
