// Maps and scans: higher-order ops that run a body for each row of their inputs. Over a known number of rows the body
// is read that often.
#include "frontend/shapes.h"
#include "frontend/torch/graph_reader.h"
#include "frontend/torch/tensors.h"
#include "frontend/torch/written.h"

namespace sunmao::torch {
namespace {

constexpr size_t kMostUnrolled = 100'000;  // nodes

using Ids = std::vector<AliasMap::Id>;

struct Body {
  io::JsonValue graph;
  Ids carried, rows, rest;  // `carried` of a scan alone
};

Body body_of(io::JsonValue node, GraphScope& scope, const Span& span) {
  Body body{subgraph_of(node), {}, {}, {}};
  std::vector<Ids> lists;
  for (io::JsonValue input : node["inputs"].elements()) {
    if (!input["arg"]["as_tensors"].is_array()) continue;
    Ids& list = lists.emplace_back();
    for (io::JsonValue tensor : input["arg"]["as_tensors"].elements())
      list.push_back(scope.id(required_text(tensor["name"], "the name of an argument", span), span));
  }
  const bool is_scan = lists.size() == 3;
  if (!body.graph.exists() || (!is_scan && lists.size() != 2) || lists[is_scan].empty())
    fail("E0704", span, "the node lacks its body or its arguments", "the file is damaged");
  if (is_scan) body.carried = lists[0];
  body.rows = lists[is_scan];
  body.rest = lists.back();
  return body;
}

}  // namespace

void GraphReader::read_rows(io::JsonValue node, std::string_view target, const std::vector<Output>& outputs,
                            GraphScope& scope, const Span& span) {
  Body body = body_of(node, scope, span);
  if (body.carried.empty() == (target == "higher_order.scan"))
    fail("E0704", span, "the node lacks its arguments", "the file is damaged");
  const auto value = [&](AliasMap::Id id) {
    Expr e = tensors_.read(id);
    if (!e) throw NeedsUnread{};
    return e;
  };
  const std::vector<Scalar>* dims = dims_of(value(body.rows[0]));
  const int64_t* count = dims && !dims->empty() ? find_int((*dims)[0]) : nullptr;
  if (!count || *count == 0) throw UnsupportedUse{"over a number of rows that is 0 or not known"};
  std::vector<std::vector<Expr>> stacked;
  for (int64_t row = 0, rows = *count; row < rows; ++row) {
    unrolled_ += 1 + body.graph["nodes"].size();
    if (unrolled_ > kMostUnrolled) throw UnsupportedUse{fmt::format("of more than {} nodes in all", kMostUnrolled)};
    Ids arguments = body.carried;
    for (AliasMap::Id id : body.rows) {
      const Expr part = sliced(builder_, value(id), {{0, int_imm(row), int_imm(row + 1)}}, span);
      arguments.push_back(tensors_.add(without_axes(builder_, part, {0}, span)));
    }
    arguments.insert(arguments.end(), body.rest.begin(), body.rest.end());
    DataSymbols::Moment before = data_.now();
    const Ids results = inlined(body.graph, arguments, span);
    data_.forget_since(std::move(before));
    if (results.size() < body.carried.size() || results.size() != outputs.size())
      fail("E0704", span, "the body gives another number of results than the node", "the file is damaged");
    for (size_t i = 0; i < body.carried.size(); ++i) body.carried[i] = results[i];
    stacked.resize(results.size() - body.carried.size());
    for (size_t i = 0; i < stacked.size(); ++i) stacked[i].push_back(value(results[body.carried.size() + i]));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name.empty()) continue;
    if (i < body.carried.size()) {
      scope.define(outputs[i].name, body.carried[i], span);
      continue;
    }
    Expr whole = builder_.call("stack", {Tuple::make(stacked[i - body.carried.size()])}, {{"axis", 0}}, span);
    check_result(whole, outputs[i].recorded, span);
    scope.define(outputs[i].name, tensors_.add(builder_.bind(whole, std::string(outputs[i].name))), span);
  }
}

}  // namespace sunmao::torch
