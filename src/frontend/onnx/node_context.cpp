#include "frontend/onnx/node_context.h"

#include <algorithm>

#include "eval/element.h"
#include "frontend/onnx/tensors.h"
#include "frontend/shapes.h"
#include "io/concat.h"

namespace sunmao::onnx {

void NodeContext::fail(const std::string& message, const std::string& help) const {
  sunmao::fail("E0609", span, fmt::format("{}: {}", io::quoted(node.op), message), help);
}

const Value& NodeContext::input(size_t i) const {
  if (!has_input(i))
    fail(fmt::format("input {} is missing", i), "the model is damaged, or its opset is not what it says");
  if (!inputs_[i]->problem.empty()) throw UnsupportedUse{inputs_[i]->problem};
  if (!inputs_[i]->expr) throw NeedsUnread{};
  return *inputs_[i];
}

Expr NodeContext::tensor(size_t i) const {
  const Expr& given = input(i).expr;
  return has_open_sizes(given) ? builder.sized(given) : given;
}

const std::vector<Scalar>& NodeContext::dims(size_t i) const {
  const std::vector<Scalar>* dims = dims_of(tensor(i));
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  return *dims;
}

int64_t NodeContext::rank(size_t i) const {
  const int rank = rank_of(tensor(i));
  if (rank == kUnknownRank) throw UnsupportedUse{"of a tensor of unknown rank"};
  return rank;
}

std::vector<Scalar> NodeContext::elements(size_t i, const char* what) const {
  std::optional<SymbolicTensor> known = builder.elements(tensor(i));
  if (!known) throw UnsupportedUse{fmt::format("with {} that depend on data", what)};
  for (const Scalar& s : known->elements) bounded(s);
  return known->elements;
}

std::vector<int64_t> NodeContext::ints(size_t i, const char* what) const {
  std::vector<int64_t> out;
  for (const Scalar& e : elements(i, what)) {
    if (!find_int(e)) throw UnsupportedUse{fmt::format("with symbolic {}", what)};
    out.push_back(*find_int(e));
  }
  return out;
}

int64_t NodeContext::integer(size_t i, const char* what) const {
  const std::vector<int64_t> values = ints(i, what);
  if (values.size() != 1) fail(fmt::format("input {} holds {} numbers, expected one", i, values.size()));
  return values[0];
}

std::vector<double> NodeContext::numbers(size_t i, const char* what) const {
  std::optional<Array> known = builder.data(tensor(i));
  if (!known) throw UnsupportedUse{fmt::format("with {} that depend on data", what)};
  std::vector<double> out;
  for (int64_t k = 0; k < known->count(); ++k) {
    const Number n = load_element(*known, k);
    out.push_back(convert(known->dtype(), DType::float_(64), n).f);
  }
  return out;
}

double NodeContext::number(size_t i, const char* what) const {
  const std::vector<double> values = numbers(i, what);
  if (values.size() != 1) fail(fmt::format("input {} holds {} numbers, expected one", i, values.size()));
  return values[0];
}

int64_t NodeContext::int_attr(std::string_view name, int64_t otherwise) const {
  const Attribute* a = node.find(name);
  return a ? a->i : otherwise;
}

DType NodeContext::dtype_attr(DType otherwise) const {
  if (!has_attr("dtype")) return otherwise;
  const int64_t type = int_attr("dtype", 0);
  const DType dtype = dtype_of_element(type);
  if (dtype.is_void()) throw UnsupportedUse{"of " + name_of_element(type)};
  return dtype;
}

double NodeContext::float_attr(std::string_view name, double otherwise) const {
  const Attribute* a = node.find(name);
  return a ? static_cast<double>(a->f) : otherwise;
}

std::string NodeContext::string_attr(std::string_view name, std::string_view otherwise) const {
  const Attribute* a = node.find(name);
  return std::string(a ? a->s : otherwise);
}

std::optional<std::vector<int64_t>> NodeContext::ints_attr(std::string_view name) const {
  const Attribute* a = node.find(name);
  return a ? std::optional(a->ints) : std::nullopt;
}

std::optional<std::vector<double>> NodeContext::floats_attr(std::string_view name) const {
  const Attribute* a = node.find(name);
  return a ? std::optional(std::vector<double>(a->floats.begin(), a->floats.end())) : std::nullopt;
}

std::optional<std::vector<std::string>> NodeContext::strings_attr(std::string_view name) const {
  const Attribute* a = node.find(name);
  return a ? std::optional(std::vector<std::string>(a->strings.begin(), a->strings.end())) : std::nullopt;
}

const Tensor* NodeContext::tensor_attr(std::string_view name) const {
  const Attribute* a = node.find(name);
  return a && a->tensor ? &*a->tensor : nullptr;
}

std::optional<std::vector<int64_t>> NodeContext::ints_attr_or_input(std::string_view name, size_t i) const {
  if (has_input(i)) return ints(i, std::string(name).c_str());
  return ints_attr(name);
}

Expr NodeContext::call(std::string_view op, std::vector<Expr> args, AttrMap attrs) const {
  Expr made = builder.call(op, args, attrs, span);
  if (has_open_sizes(made) && builder.ops().get(op, span)->info.fuse == Fuse::Broadcast)
    made = builder.call(op, builder.repeated(std::move(args), 0, span), std::move(attrs), span);
  return has_open_sizes(made) ? builder.sized(made) : made;
}

Results NodeContext::fields(const Expr& tuple, size_t count) const {
  std::vector<Expr> out = builder.sized_results(tuple, "lv");
  out.resize(std::min(count, out.size()));
  return Results(std::move(out));
}

Expr NodeContext::constant(DType dtype, double value) const { return scalar_constant(dtype, value, span); }

Results converted_in_float32(const NodeContext& n, Convert convert) {
  constexpr DType kWide = DType::float_(32);
  std::vector<Value> widened(n.input_count());
  std::vector<const Value*> inputs;
  DType narrow;
  for (size_t i = 0; i < n.input_count(); ++i) {
    inputs.push_back(n.has_input(i) ? n.value(i) : nullptr);
    const DType t = inputs[i] && inputs[i]->expr ? dtype_of(inputs[i]->expr) : DType();
    if (!t.is_float() || t.bits != 16) continue;
    if (narrow.is_void()) narrow = t;
    widened[i].expr = converted(n.builder, inputs[i]->expr, kWide, n.span);
    inputs[i] = &widened[i];
  }
  if (narrow.is_void()) return convert(n);
  Results results = convert(n.with(std::move(inputs)));
  for (Expr& value : results.values)
    if (value && dtype_of(value) == kWide) value = converted(n.builder, value, narrow, n.span);
  return results;
}

}  // namespace sunmao::onnx
