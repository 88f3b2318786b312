#include "view/type_text.h"

#include <fmt/format.h>

#include "ir/expr.h"
#include "support/shape_bytes.h"

namespace sunmao::view {

std::string short_dtype(const DType& dtype) {
  const std::string name = dtype.str();
  for (const auto& [word, letter] : {std::pair("float", "f"), std::pair("uint", "u"), std::pair("int", "i")})
    if (const std::string_view w = word;
        name.starts_with(w) && name.find_first_not_of("0123456789", w.size()) == name.npos)
      return letter + name.substr(w.size());
  return name == "bfloat16" ? "bf16" : name;
}

std::string short_type(const Type& type) {
  if (const auto* tensor = find<TensorType>(type)) {
    std::string out;
    if (const std::vector<Scalar>* dims = tensor->dims())
      for (const Scalar& d : *dims) out += (out.empty() ? "" : "×") + describe(d);
    else
      out = tensor->rank == kUnknownRank ? "…" : fmt::format("rank {}", tensor->rank);
    if (tensor->dims() && tensor->dims()->empty()) out = "scalar";
    return tensor->is_unknown_dtype() ? out : out + " " + short_dtype(tensor->dtype);
  }
  if (const auto* tuple = find<TupleType>(type)) {
    if (tuple->fields.size() == 1) return short_type(tuple->fields[0]);
    return tuple->fields.empty() ? std::string() : fmt::format("{} values", tuple->fields.size());
  }
  if (const auto* prim = find<PrimType>(type)) return "number " + short_dtype(prim->dtype);
  if (find<ShapeType>(type)) return "sizes";
  return find<CallableType>(type) ? "function" : "";
}

std::optional<uint64_t> bytes_of(const Type& type) {
  if (const auto* tensor = find<TensorType>(type)) {
    if (!tensor->dims() || tensor->is_unknown_dtype()) return std::nullopt;
    std::vector<int64_t> shape;
    for (const Scalar& d : *tensor->dims()) {
      const int64_t* size = find_int(d);
      if (!size) return std::nullopt;
      shape.push_back(*size);
    }
    return shape_bytes(shape, tensor->dtype);
  }
  if (const auto* tuple = find<TupleType>(type)) {
    uint64_t sum = 0;
    for (const Type& field : tuple->fields) {
      const std::optional<uint64_t> bytes = bytes_of(field);
      if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
    }
    return sum;
  }
  return std::nullopt;
}

}  // namespace sunmao::view
