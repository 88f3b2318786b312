// Nodes that read a number from a tensor, and assertions about such numbers and about sizes that data decides.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/graph_reader.h"
#include "frontend/torch/tensors.h"
#include "frontend/torch/written.h"
#include "io/concat.h"

namespace sunmao::torch {
namespace {

constexpr const char* kKinds[] = {"sym_int_values", "sym_float_values", "sym_bool_values"};

io::JsonValue argument(io::JsonValue node, std::string_view name) {
  for (io::JsonValue input : node["inputs"].elements())
    if (input["name"].as_string() == name) return input["arg"];
  return {};
}

/// Returns what the program writes for a symbolic number: {"as_expr": {"expr_str": …}}, or the number itself.
io::JsonValue written_number(io::JsonValue graph, std::string_view name) {
  for (const char* kind : kKinds)
    if (io::JsonValue value = graph[kind][name]; value.exists()) return value;
  return {};
}

/// Returns the conditions of an assertion; a bound that is no number states nothing.
std::vector<std::string> conditions_of(io::JsonValue node, std::string_view target, io::JsonValue graph) {
  const auto text_of = [&](const char* name) {
    const io::JsonValue value = written_number(graph, symbolic_number_in(argument(node, name)));
    return value["as_expr"]["expr_str"].as_string();
  };
  std::vector<std::string> out;
  if (target.starts_with("aten._assert_scalar.")) {
    if (auto text = text_of("self")) out.emplace_back(*text);
  } else if (target.starts_with("aten.sym_constrain_range")) {
    const auto text = text_of("size");
    const auto least = argument(node, "min")["as_int"].as_int(), most = argument(node, "max")["as_int"].as_int();
    if (text && least) out.push_back(fmt::format("GreaterThan({}, Integer({}))", *text, *least));
    if (text && most) out.push_back(fmt::format("LessThan({}, Integer({}))", *text, *most));
  }
  return out;
}

}  // namespace

bool GraphScope::is_size(std::string_view name, const Span& span) {
  io::JsonValue value = graph_["sym_int_values"][name];
  if (!value["as_expr"].exists()) return value.exists();
  return reader_.data().is_size(parse_size(value, reader_.builder(), span));
}

Expr GraphScope::number(std::string_view name, const Span& span) {
  const io::JsonValue value = written_number(graph_, name);
  if (auto number = value["as_int"].as_int()) return integer_constant(DType::int_(64), *number, span);
  if (auto number = value["as_float"].as_double()) return scalar_constant(DType::float_(64), *number, span);
  if (auto truth = value["as_bool"].as_bool()) return scalar_constant(DType::bool_(), *truth ? 1 : 0, span);
  const auto text = value["as_expr"]["expr_str"].as_string();
  if (!text) fail("E0704", span, fmt::format("the number {} has no value", io::quoted(name)), "the file is damaged");
  return reader_.data().number(*text, span);
}

Expr GraphScope::once(const Expr& operand, const std::function<Expr()>& make) {
  return reader_.data().once(operand, make);
}

std::vector<AliasMap::Id> GraphReader::inlined_body(io::JsonValue graph, const std::vector<AliasMap::Id>& arguments,
                                                    const Span& span) {
  DataSymbols::Around around = data_.begin_body();
  std::vector<AliasMap::Id> results = inlined(graph, arguments, span);
  data_.end_body(std::move(around));
  return results;
}

bool GraphReader::read_number(io::JsonValue node, std::string_view target, const std::string& label,
                              GraphScope& scope) {
  if (!target.starts_with("aten.item.") && !target.starts_with("aten._local_scalar_dense.")) return false;
  const Span span = builder_.span(label);
  builder_.begin_node(label, std::string(target));
  findings_.run(unsupported(), std::string(target), span, [&] {
    const io::JsonValue value = written_number(scope.graph(), symbolic_number_in(node["outputs"][size_t{0}]));
    const auto text = value["as_expr"]["expr_str"].as_string();
    if (text) data_.define_number(*text, scope.tensor(first_tensor(node), span), span);
  });
  return true;
}

bool GraphReader::read_assertion(io::JsonValue node, std::string_view target, const std::string& label,
                                 GraphScope& scope) {
  const Span span = builder_.span(label);
  std::vector<std::string> conditions = conditions_of(node, target, scope.graph());
  std::erase_if(conditions, [&](const std::string& text) { return !data_.is_decided(text); });
  if (conditions.empty()) return false;
  builder_.begin_node(label, std::string(target));
  for (const std::string& text : conditions)
    findings_.run(unsupported(), std::string(target), span, [&] {
      try {
        data_.require(text, span);
      } catch (const NeedsUnread&) {
      }
    });
  return true;
}

}  // namespace sunmao::torch
