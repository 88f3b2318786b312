// Loop. Where the number of iterations is known, its body is read as often; else it becomes a function of the module.
#include "frontend/onnx/bodies.h"
#include "frontend/onnx/graph_reader.h"
#include "frontend/onnx/stacks.h"
#include "frontend/shapes.h"

namespace sunmao::onnx {

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
  const std::vector<Stack> stacks(body.outputs.size() + 1 - start.size());
  const std::vector<Expr> end = stacking_loop(n, std::move(start), goes_on, step, stacks, nullptr, "loop");
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
  if (!scans.empty() && scans[0].empty()) return std::nullopt;  // no row says what the stack of none is
  for (const std::vector<Value>& parts : scans) state.push_back(stacked(n, parts, 0));
  return state;
}

}  // namespace sunmao::onnx
