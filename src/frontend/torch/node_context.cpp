#include "frontend/torch/node_context.h"

#include <limits>

#include "io/concat.h"

namespace sunmao::torch {
namespace {

/// JSON has no infinities and NaN, so the exporter writes them as strings.
std::optional<double> non_finite(io::JsonValue value) {
  const std::string_view text = value.as_string().value_or("");
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace

NodeContext::NodeContext(ModelBuilder& b, io::JsonValue node, Span s, const Tensors& tensors, const AttrMap& defaults,
                         const std::function<Scalar(std::string_view)>& symbolic_int)
    : builder(b), span(std::move(s)), inputs_(node["inputs"]), tensors_(tensors), defaults_(defaults),
      symbolic_int_(symbolic_int) {}

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

const AttrValue& NodeContext::default_of(const std::string& name) const {
  auto it = defaults_.find(name);
  if (it == defaults_.end()) malformed(name);
  return it->second;
}

Expr NodeContext::tensor(std::string_view name) const {
  std::optional<std::string_view> value = argument(name)["as_tensor"]["name"].as_string();
  if (!value) malformed(name);
  auto it = tensors_.find(*value);
  if (it == tensors_.end() || !it->second)
    fail("E0704", span, fmt::format("{} is used before anything defines it", io::quoted(*value)),
         "the file is damaged");
  return it->second;
}

const std::vector<Scalar>& NodeContext::dims(const Expr& x) const {
  const std::vector<Scalar>* dims = dims_of(x);
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  return *dims;
}

int64_t NodeContext::integer(const std::string& name) const {
  if (has(name)) {
    if (std::optional<int64_t> value = argument(name)["as_int"].as_int()) return *value;
    malformed(name);
  }
  const int64_t* value = default_of(name).find<int64_t>();
  SUNMAO_CHECK(value, "the default of {} is no integer", name);
  return *value;
}

bool NodeContext::boolean(const std::string& name) const {
  if (has(name)) {
    if (std::optional<bool> value = argument(name)["as_bool"].as_bool()) return *value;
    malformed(name);
  }
  const bool* value = default_of(name).find<bool>();
  SUNMAO_CHECK(value, "the default of {} is no bool", name);
  return *value;
}

Number NodeContext::number(const std::string& name) const {
  if (!has(name)) {
    const int64_t* value = default_of(name).find<int64_t>();
    SUNMAO_CHECK(value, "the default of {} is no integer", name);
    return {static_cast<double>(*value), true};
  }
  io::JsonValue a = argument(name);
  if (std::optional<int64_t> value = a["as_int"].as_int()) return {static_cast<double>(*value), true};
  if (std::optional<double> value = a["as_float"].as_double()) return {*value, false};
  if (std::optional<double> value = non_finite(a["as_float"])) return {*value, false};
  if (a["as_sym_int"].exists()) throw UnsupportedUse{"with a symbolic number"};
  malformed(name);
}

std::optional<std::vector<int64_t>> NodeContext::integers(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  io::JsonValue list = argument(name)["as_ints"];
  if (!list.is_array()) malformed(name);
  std::vector<int64_t> out;
  for (io::JsonValue element : list.elements()) {
    std::optional<int64_t> value = element.as_int();
    if (!value) malformed(name);
    out.push_back(*value);
  }
  return out;
}

Scalar NodeContext::size(io::JsonValue element, std::string_view name) const {
  if (std::optional<int64_t> value = element.as_int()) return int_imm(*value);
  if (std::optional<int64_t> value = element["as_int"].as_int()) return int_imm(*value);
  if (std::optional<std::string_view> symbol = element["as_name"].as_string()) return symbolic_int_(*symbol);
  malformed(name);
}

std::vector<Scalar> NodeContext::sizes(std::string_view name) const {
  io::JsonValue a = argument(name);
  io::JsonValue list = a["as_sym_ints"].is_array() ? a["as_sym_ints"] : a["as_ints"];
  if (!list.is_array() || list.size() > kMaxRank) malformed(name);
  std::vector<Scalar> out;
  for (io::JsonValue element : list.elements()) out.push_back(size(element, name));
  return out;
}

std::optional<int64_t> NodeContext::scalar_type(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  std::optional<int64_t> value = argument(name)["as_scalar_type"].as_int();
  if (!value) malformed(name);
  return value;
}

}  // namespace sunmao::torch
