#include "frontend/torch/node_context.h"

#include <limits>

#include "frontend/shapes.h"
#include "frontend/torch/tensors.h"
#include "io/concat.h"

namespace sunmao::torch {
namespace {

/// Returns a float; JSON has no infinities and NaN, so the exporter writes them as strings.
std::optional<double> float_of(io::JsonValue value) {
  if (std::optional<double> number = value.as_double()) return number;
  if (std::optional<int64_t> number = value.as_int()) return static_cast<double>(*number);
  const std::string_view text = value.as_string().value_or("");
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

int64_t number_of(const Scalar& s, std::string_view name) {
  const int64_t* number = find_int(s);
  if (!number) throw UnsupportedUse{fmt::format("with {} that is symbolic", io::quoted(name))};
  if (*number > kLargestSize || *number < -kLargestSize)
    throw UnsupportedUse{fmt::format("with {} of {}", io::quoted(name), *number)};
  return *number;
}

AttrValue attribute_of(const Scalar& s) {
  const int64_t* number = find_int(s);
  return number ? AttrValue(*number) : AttrValue(s);
}

}  // namespace

std::string_view symbolic_number_in(io::JsonValue argument) {
  for (const char* kind : {"as_sym_int", "as_sym_float", "as_sym_bool"})
    if (auto name = argument[kind]["as_name"].as_string()) return *name;
  return {};
}

std::vector<std::string_view> tensor_names_of(io::JsonValue inputs, std::string_view argument) {
  std::vector<std::string_view> out;
  const auto add = [&out](io::JsonValue name) {
    if (auto text = name.as_string()) out.push_back(*text);
  };
  for (io::JsonValue input : inputs.elements()) {
    if (!argument.empty() && input["name"].as_string() != argument) continue;
    io::JsonValue arg = input["arg"];
    add(arg["as_tensor"]["name"]);
    for (io::JsonValue element : arg["as_tensors"].elements()) add(element["name"]);
    for (io::JsonValue element : arg["as_optional_tensors"].elements()) add(element["as_tensor"]["name"]);
  }
  return out;
}

NodeContext::NodeContext(ModelBuilder& b, io::JsonValue node, std::string_view target_, Span s, Scope& scope,
                         std::vector<Type> outputs)
    : builder(b), target(target_), span(std::move(s)), inputs_(node["inputs"]), scope_(&scope),
      outputs_(std::move(outputs)) {}

void NodeContext::malformed(std::string_view argument) const {
  fail("E0704", span,
       fmt::format("argument {} is missing or of a kind that the op does not take", io::quoted(argument)),
       "the file is damaged, or a newer PyTorch wrote it");
}

io::JsonValue NodeContext::argument(std::string_view name) const {
  for (io::JsonValue input : inputs_.elements())
    if (input["name"].as_string() == name) return input["arg"];
  return {};
}

bool NodeContext::has(std::string_view name) const {
  io::JsonValue a = argument(name);
  return a.exists() && !a["as_none"].exists();
}

bool NodeContext::has_number(std::string_view name) const {
  io::JsonValue a = argument(name);
  return a["as_int"].exists() || a["as_float"].exists() || a["as_bool"].exists();
}

Expr NodeContext::tensor(std::string_view name) const {
  std::optional<std::string_view> value = argument(name)["as_tensor"]["name"].as_string();
  if (!value) malformed(name);
  Expr tensor = scope_->tensor(*value, span);
  if (!tensor) throw NeedsUnread{};
  return tensor;
}

std::vector<Expr> NodeContext::tensors(std::string_view name) const {
  std::vector<Expr> out = optional_tensors(name);
  for (const Expr& e : out)
    if (!e) malformed(name);
  return out;
}

std::vector<Expr> NodeContext::optional_tensors(std::string_view name) const {
  io::JsonValue a = argument(name);
  io::JsonValue list = a["as_tensors"].is_array() ? a["as_tensors"] : a["as_optional_tensors"];
  if (!list.is_array()) malformed(name);
  std::vector<Expr> out;
  for (io::JsonValue element : list.elements()) {
    if (element["as_none"].exists()) {
      out.emplace_back();
      continue;
    }
    std::optional<std::string_view> value = element["name"].as_string();
    if (!value) value = element["as_tensor"]["name"].as_string();
    if (!value) malformed(name);
    out.push_back(scope_->tensor(*value, span));
    if (!out.back()) throw NeedsUnread{};
  }
  return out;
}

const std::vector<Scalar>& NodeContext::dims(const Expr& x) const {
  const std::vector<Scalar>* dims = dims_of(x);
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  return *dims;
}

int64_t NodeContext::rank(const Expr& x) const {
  const int rank = rank_of(x);
  if (rank == kUnknownRank) throw UnsupportedUse{"of a tensor of unknown rank"};
  return rank;
}

int64_t NodeContext::constant_of(io::JsonValue element, std::string_view name) const {
  return number_of(size_of(element, name), name);
}

int64_t NodeContext::integer(std::string_view name, std::optional<int64_t> otherwise) const {
  return number_of(size(name, otherwise), name);
}

bool NodeContext::boolean(std::string_view name, std::optional<bool> otherwise) const {
  if (!has(name) && otherwise) return *otherwise;
  io::JsonValue a = argument(name);
  if (std::optional<bool> value = a["as_bool"].as_bool()) return *value;
  if (std::optional<int64_t> value = a["as_int"].as_int()) return *value != 0;
  malformed(name);
}

PythonNumber NodeContext::number(std::string_view name, std::optional<PythonNumber> otherwise) const {
  if (!has(name) && otherwise) return *otherwise;
  io::JsonValue a = argument(name);
  if (std::optional<int64_t> value = a["as_int"].as_int()) return {static_cast<double>(*value), true, false, *value};
  if (std::optional<bool> value = a["as_bool"].as_bool()) return {*value ? 1.0 : 0.0, true, true};
  if (std::optional<double> value = float_of(a["as_float"])) return {*value, false};
  if (a["as_sym_int"].exists() || a["as_sym_float"].exists() || a["as_sym_bool"].exists()) {
    if (const Scalar s = a["as_sym_int"].exists() ? size(name) : Scalar(); s && find_int(s))
      return {static_cast<double>(*find_int(s)), true, false, *find_int(s)};
    throw UnsupportedUse{"with a symbolic number"};
  }
  if (a["as_complex"].exists()) throw UnsupportedUse{"with a complex number"};
  malformed(name);
}

double NodeContext::real(std::string_view name, std::optional<double> otherwise) const {
  if (!has(name) && otherwise) return *otherwise;
  return number(name).value;
}

std::string NodeContext::string(std::string_view name, std::optional<std::string_view> otherwise) const {
  if (!has(name) && otherwise) return std::string(*otherwise);
  std::optional<std::string_view> value = argument(name)["as_string"].as_string();
  if (!value) malformed(name);
  return std::string(*value);
}

std::optional<std::vector<int64_t>> NodeContext::integers(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  io::JsonValue a = argument(name);
  if (a["as_int"].exists()) return std::vector{constant_of(a["as_int"], name)};
  if (a["as_sym_int"].exists()) return std::vector{constant_of(a["as_sym_int"], name)};
  io::JsonValue list = a["as_sym_ints"].is_array() ? a["as_sym_ints"] : a["as_ints"];
  if (!list.is_array()) malformed(name);
  std::vector<int64_t> out;
  for (io::JsonValue element : list.elements()) out.push_back(constant_of(element, name));
  return out;
}

std::optional<std::vector<double>> NodeContext::reals(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  io::JsonValue a = argument(name);
  io::JsonValue list = a["as_floats"].is_array() ? a["as_floats"] : a["as_ints"];
  if (!list.is_array()) malformed(name);
  std::vector<double> out;
  for (io::JsonValue element : list.elements()) {
    std::optional<double> value = float_of(element);
    if (!value) malformed(name);
    out.push_back(*value);
  }
  return out;
}

std::vector<bool> NodeContext::booleans(std::string_view name) const {
  io::JsonValue list = argument(name)["as_bools"];
  if (!list.is_array()) malformed(name);
  std::vector<bool> out;
  for (io::JsonValue element : list.elements()) out.push_back(element.as_bool().value_or(false));
  return out;
}

Scalar NodeContext::size_of(io::JsonValue element, std::string_view name) const {
  if (std::optional<int64_t> value = element.as_int()) return int_imm(*value);
  if (std::optional<int64_t> value = element["as_int"].as_int()) return int_imm(*value);
  if (std::optional<std::string_view> symbol = element["as_name"].as_string())
    return scope_->symbolic_int(*symbol, span);
  malformed(name);
}

Scalar NodeContext::size(std::string_view name, std::optional<int64_t> otherwise) const {
  if (!has(name) && otherwise) return int_imm(*otherwise);
  io::JsonValue a = argument(name);
  if (a["as_sym_int"].exists()) return size_of(a["as_sym_int"], name);
  if (!symbolic_number_in(a).empty())
    throw UnsupportedUse{fmt::format("with {} that depends on data", io::quoted(name))};
  if (a["as_bool"].exists()) return int_imm(a["as_bool"].as_bool().value_or(false) ? 1 : 0);
  return size_of(a["as_int"], name);
}

bool NodeContext::is_size(std::string_view name) const {
  const std::string_view symbolic = symbolic_number_in(argument(name));
  return symbolic.empty() || scope_->is_size(symbolic, span);
}

Expr NodeContext::number_tensor(std::string_view name) const {
  const std::string_view symbolic = symbolic_number_in(argument(name));
  return symbolic.empty() ? sunmao::tensor_of(builder, {size(name)}, false, span) : scope_->number(symbolic, span);
}

std::vector<Scalar> NodeContext::sizes(std::string_view name) const {
  if (!has(name)) return {};
  io::JsonValue a = argument(name);
  if (a["as_int"].exists() || a["as_sym_int"].exists()) return {size(name)};
  io::JsonValue list = a["as_sym_ints"].is_array() ? a["as_sym_ints"] : a["as_ints"];
  if (!list.is_array() || list.size() > kMaxRank) malformed(name);
  std::vector<Scalar> out;
  for (io::JsonValue element : list.elements()) out.push_back(size_of(element, name));
  return out;
}

std::optional<DType> NodeContext::dtype(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  std::optional<int64_t> value = argument(name)["as_scalar_type"].as_int();
  if (!value) malformed(name);
  const DType dtype = dtype_of_scalar_type(*value), part = part_of_scalar_type(*value);
  if (dtype.is_void() && part.is_void()) throw UnsupportedUse{fmt::format("with ScalarType {}", *value)};
  return dtype.is_void() ? part : dtype;
}

NodeContext::Layout NodeContext::layout(std::string_view name) const {
  const io::JsonValue meta = scope_->described(argument(name)["as_tensor"]["name"].as_string().value_or(""));
  Layout out{{}, int_imm(0)};
  for (io::JsonValue stride : meta["strides"].elements()) out.strides.push_back(parse_size(stride, builder, span));
  if (meta["storage_offset"].exists()) out.offset = parse_size(meta["storage_offset"], builder, span);
  return out;
}

std::vector<std::string_view> NodeContext::tensor_names() const { return tensor_names_of(inputs_); }
std::vector<std::string_view> NodeContext::tensor_names(std::string_view argument) const {
  return tensor_names_of(inputs_, argument);
}

std::optional<std::pair<double, double>> NodeContext::complex_number(std::string_view name) const {
  if (has_number(name)) return std::pair(number(name).value, 0.0);
  io::JsonValue given = argument(name)["as_complex"];
  const std::optional<double> real = float_of(given["real"]), imaginary = float_of(given["imag"]);
  return real && imaginary ? std::optional(std::pair(*real, *imaginary)) : std::nullopt;
}

NodeContext NodeContext::with(Scope& scope, std::vector<Type> outputs) const {
  NodeContext out = *this;
  out.scope_ = &scope;
  out.outputs_ = std::move(outputs);
  return out;
}

Type NodeContext::recorded(size_t i) const { return i < outputs_.size() ? outputs_[i] : Type(); }

DType NodeContext::recorded_dtype(size_t i) const {
  const auto* tensor = find<TensorType>(recorded(i));
  return tensor ? tensor->dtype : DType::void_();
}

CustomNode NodeContext::as_custom() const {
  CustomNode node{.op = std::string(target), .inputs = {}, .attributes = {}, .span = span};
  for (io::JsonValue input : inputs_.elements()) {
    const std::string name(input["name"].as_string().value_or(""));
    io::JsonValue a = input["arg"];
    if (a["as_tensor"].exists()) {
      node.inputs.push_back(tensor(name));
    } else if (a["as_tensors"].is_array() || a["as_optional_tensors"].is_array()) {
      for (Expr& e : tensors(name)) node.inputs.push_back(std::move(e));
    } else if (a["as_none"].exists()) {
      node.attributes.emplace(name, AttrValue());
    } else if (a["as_bool"].exists()) {
      node.attributes.emplace(name, boolean(name));
    } else if (a["as_int"].exists() || a["as_sym_int"].exists()) {
      node.attributes.emplace(name, attribute_of(size(name)));
    } else if (a["as_float"].exists()) {
      node.attributes.emplace(name, real(name));
    } else if (a["as_string"].exists()) {
      node.attributes.emplace(name, string(name));
    } else if (a["as_scalar_type"].exists()) {
      node.attributes.emplace(name, *dtype(name));
    } else if (a["as_ints"].is_array() || a["as_sym_ints"].is_array()) {
      AttrList list;
      for (const Scalar& s : sizes(name)) list.push_back(attribute_of(s));
      node.attributes.emplace(name, std::move(list));
    } else if (a["as_floats"].is_array()) {
      AttrList list;
      const std::vector<double> numbers = reals(name).value_or(std::vector<double>());
      for (double d : numbers) list.emplace_back(d);
      node.attributes.emplace(name, std::move(list));
    }
  }
  return node;
}

Results NodeContext::fields(const Expr& tuple, size_t count) const {
  const Expr whole = builder.bind(tuple, "lv");
  std::vector<Expr> out;
  for (size_t i = 0; i < count; ++i) out.push_back(TupleGetItem::make(whole, static_cast<int>(i), span));
  return Results(std::move(out));
}

Expr NodeContext::constant(DType dtype, double value) const { return scalar_constant(dtype, value, span); }

}  // namespace sunmao::torch
