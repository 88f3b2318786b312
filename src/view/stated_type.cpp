#include "view/stated_type.h"

#include <fmt/ranges.h>

#include <charconv>

#include "support/dtype.h"
#include "support/shape_bytes.h"
#include "view/type_text.h"

namespace sunmao::view {

StatedType read_type(Line& line) {
  StatedType type{.dtype = std::string(line.until(" (")), .dims = {}};
  for (Line dims(line.until(")")); !dims.rest().empty();) type.dims.emplace_back(dims.until(", "));
  return type;
}

std::string type_text(const StatedType& type) {
  const std::string dims = fmt::format("({}{})", fmt::join(type.dims, ", "), type.dims.size() == 1 ? "," : "");
  return type.dtype == "sizes" ? fmt::format("Shape({})", dims) : fmt::format("Tensor({}, \"{}\")", dims, type.dtype);
}

std::string type_text(const Array& data) {
  StatedType type{.dtype = data.dtype().str(), .dims = {}};
  for (int64_t size : data.shape()) type.dims.push_back(fmt::format("{}", size));
  return type_text(type);
}

std::string short_text(const StatedType& type) {
  if (type.dtype == "sizes") return type.dtype;
  const std::optional<DType> dtype = DType::parse(type.dtype);
  return fmt::format("{} {}", type.dims.empty() ? "scalar" : fmt::format("{}", fmt::join(type.dims, "×")),
                     dtype ? short_dtype(*dtype) : type.dtype);
}

std::optional<uint64_t> bytes_of(const StatedType& type) {
  const std::optional<DType> dtype = DType::parse(type.dtype);
  if (!dtype || dtype->is_void()) return std::nullopt;
  std::vector<int64_t> shape;
  for (const std::string& dim : type.dims) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(dim.data(), dim.data() + dim.size(), size);
    if (error != std::errc() || end != dim.data() + dim.size()) return std::nullopt;
    shape.push_back(size);
  }
  return shape_bytes(shape, *dtype);
}

void set_types(GraphNode& node, const std::vector<StatedType>& types) {
  if (types.size() == 1) return set_type(node, types[0]);
  std::vector<std::string> texts;
  std::optional<uint64_t> bytes = 0;
  for (const StatedType& type : types) {
    texts.push_back(type_text(type));
    const std::optional<uint64_t> own = bytes_of(type);
    if (bytes && own)
      *bytes += *own;
    else
      bytes.reset();
  }
  node.type = fmt::format("Tuple({})", fmt::join(texts, ", "));
  node.shape = types.empty() ? "" : fmt::format("{} values", types.size());
  node.bytes = bytes;
}

}  // namespace sunmao::view
