#include "eval/value.h"

#include <fmt/ranges.h>

#include "eval/element.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

std::string element_text(const Array& a, int64_t index) {
  const DType dtype = a.dtype();
  const Number n = load_element(a, index);
  if (dtype.is_bool()) return n.i != 0 ? "True" : "False";
  if (dtype.is_float()) return dtype.bits > 32 ? fmt::format("{}", n.f) : fmt::format("{}", static_cast<float>(n.f));
  return dtype.is_uint() ? fmt::format("{}", static_cast<uint64_t>(n.i)) : fmt::format("{}", n.i);
}

// Returns the text of the subarray whose dimensions start at `axis`; `place` is the index of the next element.
std::string nested_text(const Array& a, size_t axis, int64_t& place) {
  if (axis == a.shape().size()) return element_text(a, place++);
  std::string out = "[";
  for (int64_t i = 0; i < a.shape()[axis]; ++i) out += (i ? ", " : "") + nested_text(a, axis + 1, place);
  return out + "]";
}

// Deleter of a read-only array; its presence in the owner is the mark.
struct ReadOnly {
  void operator()(const Array* array) const { delete array; }
};

}  // namespace

Array as_read_only(const Array& array) {
  std::shared_ptr<const void> owner(std::make_unique<const Array>(array).release(), ReadOnly());
  return Array::wrap(array.dtype(), array.shape(), array.data(), std::move(owner), array.offset());
}

bool is_read_only(const Array& array) { return std::get_deleter<ReadOnly>(array.owner()) != nullptr; }

std::string describe(const Value& value) {
  if (const Array* a = value.array())
    return fmt::format("{} array of shape ({})", a->dtype().str(), fmt::join(a->shape(), ", "));
  if (const ValueTuple* t = value.tuple()) return fmt::format("tuple of {}", t->size());
  if (const ShapeValue* s = value.shape()) return fmt::format("shape ({})", fmt::join(*s, ", "));
  if (value.closure() || value.host_function()) return "function";
  if (const auto object = value.object()) return object->describe();
  if (const auto* i = std::get_if<int64_t>(&value.v)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&value.v)) return fmt::format("{}", *d);
  return std::holds_alternative<std::string>(value.v) ? "text" : "nothing";
}

std::string text_of(const Value& value) {
  if (const Array* a = value.array()) {
    int64_t place = 0;
    return nested_text(*a, 0, place);
  }
  if (const ShapeValue* s = value.shape()) return fmt::format("({})", fmt::join(*s, ", "));
  if (const auto* text = std::get_if<std::string>(&value.v)) return *text;
  const ValueTuple* tuple = value.tuple();
  if (!tuple) return describe(value);
  std::string out = "(";
  for (size_t i = 0; i < tuple->size(); ++i) out += (i ? ", " : "") + text_of((*tuple)[i]);
  return out + ")";
}

bool is_true(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value.v)) return *i != 0;
  if (const auto* d = std::get_if<double>(&value.v)) return *d != 0;
  const Array* a = value.array();
  if (!a || a->count() != 1)
    fail("E0505", {}, fmt::format("a condition must be a scalar or an array of one element, got {}", describe(value)));
  Number n = load_element(*a, 0);
  return a->dtype().is_float() ? n.f != 0 : n.i != 0;
}

}  // namespace sunmao
