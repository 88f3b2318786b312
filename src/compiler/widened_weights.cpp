#include "compiler/widened_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/quantity_text.h"

namespace sunmao {
namespace {

constexpr size_t kMostNamed = 3;

uint64_t bytes_at(const io::JsonValue& record, std::string_view key) {
  return static_cast<uint64_t>(std::max<int64_t>(record[key].as_int().value_or(0), 0));
}

}  // namespace

std::string weight_bytes_text(const io::JsonValue& manifest) {
  const io::JsonValue weights = manifest["weights"];
  if (!weights["model_bytes"].exists()) return {};
  return fmt::format("{} in the model, {} here", bytes_text(bytes_at(weights, "model_bytes")),
                     bytes_text(bytes_at(weights, "bytes")));
}

std::string widened_text(const io::JsonValue& manifest) {
  std::string out;
  size_t count = 0;
  uint64_t more = 0;
  for (const io::JsonValue w : manifest["weights"]["widened"].elements()) {
    if (++count > kMostNamed) {
      more += bytes_at(w, "bytes_more");
      continue;
    }
    const auto text = [&](std::string_view key) { return w[key].as_string().value_or(""); };
    out += fmt::format("{}`{}` {} -> {} (+{})", count == 1 ? "widened: " : ", ", text("name"), text("from"), text("to"),
                       bytes_text(bytes_at(w, "bytes_more")));
  }
  return count > kMostNamed ? fmt::format("{} and {} more (+{})", out, count - kMostNamed, bytes_text(more)) : out;
}

void write_widened(io::JsonWriter& w, const io::JsonValue& manifest) {
  w.key("widened").begin_array();
  for (const io::JsonValue weight : manifest["weights"]["widened"].elements()) w.value(weight);
  w.end_array();
}

}  // namespace sunmao
