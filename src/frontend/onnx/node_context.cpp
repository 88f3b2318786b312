#include "frontend/onnx/node_context.h"

#include <algorithm>
#include <cstring>

#include "io/concat.h"

namespace sunmao::onnx {
namespace {

constexpr int64_t kMaxShapeElements = 1024;  // a constant with more elements is data, not a shape

std::vector<int64_t> integers(const Array& a) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < a.count(); ++i) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (a.dtype().bits == 64)
      std::memcpy(&wide, a.data() + i * 8, 8);
    else
      std::memcpy(&narrow, a.data() + i * 4, 4);
    out.push_back(a.dtype().bits == 64 ? wide : narrow);
  }
  return out;
}

bool is_small_integers(const Array& a) {
  return a.dtype().is_int() && a.dtype().bits >= 32 && a.rank() <= 1 && a.count() <= kMaxShapeElements;
}

/// Returns a shape value, which must be constant, as a tensor.
Expr constant_of(const ShapeValue& s, const Span& span) {
  std::vector<int64_t> values;
  for (const Scalar& e : s.elements) {
    if (!find_int(e)) throw UnsupportedUse{"that takes a symbolic shape as data"};
    values.push_back(*find_int(e));
  }
  std::vector<int64_t> shape;
  if (s.is_list) shape.push_back(static_cast<int64_t>(values.size()));
  if (s.dtype.bits == 64) return Constant::make(Array::from_ints(shape, values), span);
  std::vector<int32_t> narrow(values.begin(), values.end());
  return Constant::make(Array::copy(s.dtype, shape, std::as_bytes(std::span(narrow))), span);
}

}  // namespace

void NodeContext::fail(const std::string& message, const std::string& help) const {
  sunmao::fail("E0609", span, fmt::format("{}: {}", io::quoted(node.op), message), help);
}

const Value& NodeContext::input(size_t i) const {
  if (!has_input(i))
    fail(fmt::format("input {} is missing", i), "the model is damaged, or its opset is not what it says");
  if (inputs_[i]->unread != Unread::No) throw NeedsUnread{};
  if (!inputs_[i]->problem.empty()) throw UnsupportedUse{inputs_[i]->problem};
  return *inputs_[i];
}

Expr NodeContext::tensor(size_t i) const {
  const Value& v = input(i);
  return v.expr ? v.expr : constant_of(*v.shape, span);
}

const std::vector<Scalar>& NodeContext::dims(size_t i) const {
  const Expr x = tensor(i);
  const std::vector<Scalar>* dims = dims_of(x);
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  return *dims;
}

std::optional<ShapeValue> NodeContext::shape_value(size_t i) const {
  if (has_input(i) && inputs_[i]->unread == Unread::Data) return std::nullopt;
  const Value& v = input(i);
  if (v.shape) return v.shape;
  if (!v.constant || !is_small_integers(*v.constant)) return std::nullopt;
  ShapeValue s{.elements = {}, .is_list = v.constant->rank() == 1, .dtype = v.constant->dtype()};
  for (int64_t n : integers(*v.constant)) s.elements.push_back(int_imm(n));
  if (v.expr) builder.mark_read(v.expr);
  return s;
}

ShapeValue NodeContext::get_shape(size_t i) const {
  std::optional<ShapeValue> s = shape_value(i);
  if (!s) throw UnsupportedUse{"of data that is no shape"};
  return *s;
}

std::vector<int64_t> NodeContext::constant_ints(size_t i, const char* what) const {
  std::vector<int64_t> out;
  std::optional<ShapeValue> s = shape_value(i);
  if (!s) throw UnsupportedUse{fmt::format("with {} that are computed at run time", what)};
  for (const Scalar& e : s->elements) {
    if (!find_int(e)) throw UnsupportedUse{fmt::format("with symbolic {}", what)};
    out.push_back(*find_int(e));
  }
  return out;
}

int64_t NodeContext::int_attr(std::string_view name, int64_t otherwise) const {
  const Attribute* a = node.find(name);
  return a ? a->i : otherwise;
}

float NodeContext::float_attr(std::string_view name, float otherwise) const {
  const Attribute* a = node.find(name);
  return a ? a->f : otherwise;
}

std::optional<std::vector<int64_t>> NodeContext::ints_attr(std::string_view name) const {
  const Attribute* a = node.find(name);
  return a ? std::optional(a->ints) : std::nullopt;
}

const Tensor* NodeContext::tensor_attr(std::string_view name) const {
  const Attribute* a = node.find(name);
  return a && a->tensor ? &*a->tensor : nullptr;
}

}  // namespace sunmao::onnx
