// If, and the bodies of If, Loop and Scan. Where a condition is known, the branch is read in place of the node.
#include "frontend/control_flow.h"

#include <algorithm>

#include "frontend/onnx/bodies.h"
#include "frontend/onnx/graph_reader.h"
#include "io/concat.h"
#include "sym/walk.h"

namespace sunmao::onnx {

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
  ModelBuilder::Moment before = builder_.now();
  std::vector<Expr> values = choice(builder_, n.tensor(0), body("then_branch"), body("else_branch"), "if", n.span);
  const Scalar on_sizes = condition_on_sizes(builder_, n.tensor(0));
  const bool has_ranks = std::ranges::none_of(values, [](const Expr& e) { return rank_of(e) == kUnknownRank; });
  if (has_ranks || !on_sizes) return tensors_of(values);
  // Sizes decide a rank, as where an axis of size 1 is dropped: read for those that take the first branch.
  builder_.forget_since(std::move(before));
  std::vector<std::string> names;
  for (const Ref<SymVar>& s : free_symbols(on_sizes)) names.push_back(fmt::format("`--dim {}=…`", s->name));
  const std::string label = fmt::format("{}, whose branches differ in rank (compile with {} for the other one)",
                                        n.span->label, fmt::join(names, " "));
  builder_.require_equal(on_sizes, int_imm(1), builder_.span(label));
  return read("then_branch");
}

}  // namespace sunmao::onnx
