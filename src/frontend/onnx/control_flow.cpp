// If, Loop and Scan. Where the condition or the number of iterations is known, bodies are read in place of the node.
#include <algorithm>

#include "frontend/control_flow.h"
#include "frontend/onnx/converters.h"
#include "frontend/onnx/graph_reader.h"
#include "frontend/shapes.h"
#include "io/concat.h"

namespace sunmao::onnx {
namespace {

constexpr int64_t kMaxIterations = 4096;

const Graph& body_of(const NodeContext& n, std::string_view attribute) {
  const Attribute* a = n.node.find(attribute);
  if (!a || a->bodies.size() != 1) n.fail(fmt::format("the attribute {} is no graph", io::quoted(attribute)));
  return a->bodies[0];
}

std::string path_of(std::string_view label, std::string_view attribute) {
  return fmt::format("{}, {}, ", label, io::quoted(attribute));
}

/// Returns the truth of a condition; nullopt when it depends on data.
std::optional<bool> truth_of(ModelBuilder& builder, const Expr& condition) {
  const std::optional<SymbolicTensor> known = builder.elements(condition);
  if (!known || known->elements.size() != 1) return std::nullopt;
  const int64_t* value = find_int(known->elements[0]);
  return value ? std::optional(*value != 0) : std::nullopt;
}

Expr expr_of(const Value& value) {
  if (!value.problem.empty()) throw UnsupportedUse{value.problem};
  if (!value.expr) throw NeedsUnread{};
  return value.expr;
}

std::vector<Expr> exprs_of(const std::vector<Value>& values) {
  std::vector<Expr> out;
  for (const Value& v : values) out.push_back(expr_of(v));
  return out;
}

std::vector<Value> tensors_of(const std::vector<Expr>& exprs) {
  std::vector<Value> out;
  for (const Expr& e : exprs) out.push_back({e, {}});
  return out;
}

/// Stacks what each iteration gives along a new axis. The dtype and shape of nothing are not known.
Value stacked(const NodeContext& n, const std::vector<Value>& parts, int64_t axis) {
  if (parts.empty()) return {nullptr, "of the stacked results of no iteration"};
  std::vector<Expr> fields;
  for (const Value& part : parts) fields.push_back(expr_of(part));
  return {n.call("stack", {Tuple::make(std::move(fields), n.span)}, {{"axis", axis}}), {}};
}

}  // namespace

bool GraphReader::is_control_flow(std::string_view op) { return op == "If" || op == "Loop" || op == "Scan"; }

std::vector<Value> GraphReader::read_control_flow(const Node& node, const Place& place, const Scope& scope) {
  const NodeContext n(builder_, node, scope.opset(node.domain), place.span, inputs_of(node, place.span, scope));
  builder_.note_inlined(place.label, op_name(node));
  if (node.op == "If") return read_if(n, place, scope);
  return node.op == "Loop" ? read_loop(n, place, scope) : read_scan(n, place, scope);
}

std::vector<Value> GraphReader::read_body(const Graph& body, std::vector<Value> arguments, std::string path,
                                          const Scope& scope) {
  Scope inner(scope, std::move(path));
  const Span span = builder_.span(inner.path());
  if (body.has_sparse_initializers) fail("E0608", span, "a body has sparse initialisers", "store them dense");
  for (size_t i = 0; i < body.inputs.size(); ++i) {
    if (i >= arguments.size())
      fail("E0603", span, fmt::format("the body takes {} inputs, its node gives {}", body.inputs.size(), i));
    define(body.inputs[i].name, std::move(arguments[i]), span, inner);
  }
  note_sizes(body);
  read_initializers(body, inner);
  read_nodes(body.nodes, inner, {});
  std::vector<Value> results;
  for (const ValueInfo& output : body.outputs) {
    const Value* value = inner.find(output.name);
    if (!value) fail("E0607", span, fmt::format("nothing defines the output {}", io::quoted(output.name)));
    results.push_back(*value);
  }
  return results;
}

std::vector<Value> GraphReader::read_if(const NodeContext& n, const Place& place, const Scope& scope) {
  const std::optional<bool> condition = truth_of(builder_, n.tensor(0));
  const auto read = [&](const char* branch) {
    return read_body(body_of(n, branch), {}, path_of(place.label, branch), scope);
  };
  if (condition) return read(*condition ? "then_branch" : "else_branch");
  const size_t results = body_of(n, "then_branch").outputs.size();
  if (results == 0 || results != body_of(n, "else_branch").outputs.size())
    throw UnsupportedUse{"whose branches give no values or different numbers of them"};
  const auto body = [&](const char* branch) { return [&, branch] { return exprs_of(read(branch)); }; };
  return tensors_of(choice(builder_, n.tensor(0), body("then_branch"), body("else_branch"), "if", n.span));
}

std::vector<Value> GraphReader::read_loop(const NodeContext& n, const Place& place, const Scope& scope) {
  const Graph& body = body_of(n, "body");
  const size_t carried = n.input_count() < 2 ? 0 : n.input_count() - 2;
  if (body.outputs.size() < carried + 1 || body.inputs.size() != carried + 2)
    n.fail(fmt::format("the body has {} inputs and {} outputs for {} values that it carries", body.inputs.size(),
                       body.outputs.size(), carried));
  ModelBuilder::Moment before = builder_.now();
  const int64_t nodes_before = nodes_read_;
  if (std::optional<std::vector<Value>> known = unrolled(n, place, scope)) return *std::move(known);
  builder_.forget_since(std::move(before));
  nodes_read_ = nodes_before;
  if (body.outputs.size() > carried + 1)
    throw UnsupportedUse{"that stacks results of as many iterations as a run says"};
  return decided_loop(n, place, scope);
}

std::vector<Value> GraphReader::decided_loop(const NodeContext& n, const Place& place, const Scope& scope) {
  const Graph& body = body_of(n, "body");
  const auto scalar = [&](const Expr& e) { return reshaped(builder_, e, {}, n.span); };
  std::vector<Expr> start{integer_constant(DType::int_(64), 0, n.span),
                          n.has_input(1) ? scalar(n.tensor(1)) : n.constant(DType::bool_(), 1)};
  for (size_t i = 2; i < n.input_count(); ++i) start.push_back(n.tensor(i));
  const auto goes_on = [&](const std::vector<Expr>& carried) {
    if (!n.has_input(0)) return std::vector{carried[1]};
    const Expr is_left = n.call("less", {carried[0], scalar(n.tensor(0))});
    return std::vector{n.call("logical_and", {is_left, carried[1]})};
  };
  const auto step = [&](const std::vector<Expr>& carried) {
    std::vector<Expr> next{n.call("add", {carried[0], integer_constant(DType::int_(64), 1, n.span)})};
    std::vector<Expr> given = exprs_of(read_body(body, tensors_of(carried), path_of(place.label, "body"), scope));
    given[0] = scalar(given[0]);
    next.insert(next.end(), given.begin(), given.end());
    return next;
  };
  std::vector<Expr> end = loop(builder_, start, goes_on, step, "loop", n.span);
  return tensors_of({end.begin() + 2, end.end()});
}

std::optional<std::vector<Value>> GraphReader::unrolled(const NodeContext& n, const Place& place, const Scope& scope) {
  const Graph& body = body_of(n, "body");
  const size_t carried = n.input_count() < 2 ? 0 : n.input_count() - 2;
  int64_t count = kMaxIterations + 1;
  if (n.has_input(0)) {
    const std::optional<SymbolicTensor> known = builder_.elements(n.tensor(0));
    const int64_t* stated = known && known->elements.size() == 1 ? find_int(known->elements[0]) : nullptr;
    if (!stated) return std::nullopt;
    count = *stated;
  }
  Value condition{n.has_input(1) ? n.tensor(1) : n.constant(DType::bool_(), 1), {}};
  const bool is_long = n.has_input(0) && count > kMaxIterations;
  if (is_long && truth_of(builder_, condition.expr) != false) return std::nullopt;
  std::vector<Value> state;
  for (size_t i = 0; i < carried; ++i) state.push_back({n.tensor(i + 2), {}});
  std::vector<std::vector<Value>> scans(body.outputs.size() - carried - 1);
  for (int64_t i = 0; i < count; ++i) {
    const std::optional<bool> goes_on = truth_of(builder_, expr_of(condition));
    if (!goes_on) return std::nullopt;
    if (!*goes_on) break;
    if (i >= kMaxIterations) return std::nullopt;
    std::vector<Value> arguments{{integer_constant(DType::int_(64), i, n.span), {}}, condition};
    std::ranges::move(state, std::back_inserter(arguments));
    std::vector<Value> results = read_body(body, std::move(arguments), path_of(place.label, "body"), scope);
    condition = results[0];
    state.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    for (size_t k = 0; k < scans.size(); ++k) scans[k].push_back(results[1 + carried + k]);
  }
  for (const std::vector<Value>& parts : scans) state.push_back(stacked(n, parts, 0));
  return state;
}

std::vector<Value> GraphReader::read_scan(const NodeContext& n, const Place& place, const Scope& scope) {
  if (n.opset < 9) throw UnsupportedUse{"of opset 8"};
  const Graph& body = body_of(n, "body");
  const auto scanned = static_cast<size_t>(std::max<int64_t>(n.int_attr("num_scan_inputs", 0), 0));
  if (scanned == 0 || scanned > n.input_count()) n.fail("num_scan_inputs does not fit the inputs");
  const size_t carried = n.input_count() - scanned;
  if (body.outputs.size() < carried) n.fail("the body has fewer outputs than it carries values");
  const std::vector<int64_t> none;
  const auto in_axes = n.ints_attr("scan_input_axes").value_or(none),
             in_back = n.ints_attr("scan_input_directions").value_or(none),
             out_axes = n.ints_attr("scan_output_axes").value_or(none),
             out_back = n.ints_attr("scan_output_directions").value_or(none);
  const auto at = [](const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; };
  const auto axis_of = [&](size_t i) { return from_front(at(in_axes, i), n.rank(carried + i), "E0609", n.span); };
  const Scalar length = n.dims(carried).at(static_cast<size_t>(axis_of(0)));
  if (!find_int(length)) throw UnsupportedUse{"over an axis of symbolic length"};
  if (*find_int(length) > kMaxIterations)
    throw UnsupportedUse{fmt::format("of more than {} iterations", kMaxIterations)};
  std::vector<Value> state;
  for (size_t i = 0; i < carried; ++i) state.push_back({n.tensor(i), {}});
  std::vector<std::vector<Value>> scans(body.outputs.size() - carried);
  for (int64_t i = 0; i < *find_int(length); ++i) {
    std::vector<Value> arguments = std::move(state);
    for (size_t k = 0; k < scanned; ++k) {
      const int64_t index = at(in_back, k) ? *find_int(length) - 1 - i : i;
      arguments.push_back({n.call("take", {n.tensor(carried + k), integer_constant(DType::int_(64), index, n.span)},
                                  {{"axis", axis_of(k)}}),
                           {}});
    }
    std::vector<Value> results = read_body(body, std::move(arguments), path_of(place.label, "body"), scope);
    state.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carried));
    for (size_t k = 0; k < scans.size(); ++k) scans[k].push_back(results[carried + k]);
  }
  for (size_t k = 0; k < scans.size(); ++k) {
    if (at(out_back, k)) std::ranges::reverse(scans[k]);
    state.push_back(stacked(n, scans[k], at(out_axes, k)));
  }
  return state;
}

}  // namespace sunmao::onnx
