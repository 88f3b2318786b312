// Maps and scans: higher-order ops that run a body for each row of their inputs. Over a small number of rows that is
// known the body is read that often; else they become loops.
#include <algorithm>

#include "frontend/control_flow.h"
#include "frontend/shapes.h"
#include "frontend/torch/graph_reader.h"
#include "frontend/torch/tensors.h"
#include "frontend/torch/written.h"

namespace sunmao::torch {
namespace {

constexpr size_t kMostUnrolled = 100'000;  // nodes

using Ids = std::vector<AliasMap::Id>;

constexpr DType kRowNumber = DType::int_(64);

[[noreturn]] void lacks_results(const Span& span) {
  fail("E0704", span, "the body gives another number of results than the node", "the file is damaged");
}

RowsOfBody body_of(io::JsonValue node, GraphScope& scope, const Span& span) {
  RowsOfBody body{subgraph_of(node), {}, {}, {}};
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
  RowsOfBody body = body_of(node, scope, span);
  if (body.carried.empty() == (target == "higher_order.scan"))
    fail("E0704", span, "the node lacks its arguments", "the file is damaged");
  const std::vector<Scalar>* dims = dims_of(values_of(body.rows)[0]);
  if (!dims || dims->empty()) throw UnsupportedUse{"over rows of a tensor of unknown shape"};
  const Scalar count = (*dims)[0];
  const int64_t* rows = find_int(count);
  const size_t nodes = 1 + body.graph["nodes"].size(), left = kMostUnrolled - std::min(unrolled_, kMostUnrolled);
  const bool is_unrolled = rows && *rows > 0 && static_cast<size_t>(*rows) <= left / nodes;
  const std::vector<Expr> results = is_unrolled ? unrolled(body, *rows, span) : looped(body, count, outputs, span);
  define_all(outputs, results, scope, span);
}

std::vector<Expr> GraphReader::unrolled(RowsOfBody body, int64_t rows, const Span& span) {
  std::vector<std::vector<Expr>> stacked;
  for (int64_t row = 0; row < rows; ++row) {
    unrolled_ += 1 + body.graph["nodes"].size();
    Ids arguments = body.carried;
    for (AliasMap::Id id : body.rows) {
      const Expr part = sliced(builder_, tensors_.read(id), {{0, int_imm(row), int_imm(row + 1)}}, span);
      arguments.push_back(tensors_.add(without_axes(builder_, part, {0}, span)));
    }
    arguments.insert(arguments.end(), body.rest.begin(), body.rest.end());
    const Ids results = inlined_body(body.graph, arguments, span);
    if (results.size() < body.carried.size()) lacks_results(span);
    std::copy_n(results.begin(), body.carried.size(), body.carried.begin());
    stacked.resize(results.size() - body.carried.size());
    for (size_t i = 0; i < stacked.size(); ++i) stacked[i].push_back(values_of({results[body.carried.size() + i]})[0]);
  }
  std::vector<Expr> out = values_of(body.carried);
  for (std::vector<Expr>& parts : stacked)
    out.push_back(builder_.call("stack", {Tuple::make(std::move(parts))}, {{"axis", 0}}, span));
  return out;
}

/// The loop carries the number of the row, what a scan carries, and the rows of results so far.
std::vector<Expr> GraphReader::looped(const RowsOfBody& body, const Scalar& count, const std::vector<Output>& outputs,
                                      const Span& span) {
  unrolled_ += 1 + body.graph["nodes"].size();
  if (unrolled_ > 2 * kMostUnrolled) throw UnsupportedUse{fmt::format("of more than {} nodes in all", kMostUnrolled)};
  const size_t first = 1 + body.carried.size();
  bind_all({body.carried, body.rows, body.rest});
  std::vector<Expr> start{integer_constant(kRowNumber, 0, span)};
  for (const Expr& e : values_of(body.carried)) start.push_back(e);
  for (size_t i = body.carried.size(); i < outputs.size(); ++i) start.push_back(empty_rows(outputs[i].recorded, span));
  const auto goes_on = [&](const std::vector<Expr>& carried) {
    return std::vector{builder_.call("less", {carried[0], tensor_of(builder_, {count}, false, span)}, {}, span)};
  };
  const auto step = [&](const std::vector<Expr>& carried) {
    Ids arguments;
    for (size_t i = 1; i < first; ++i) arguments.push_back(tensors_.add(carried[i]));
    for (const Expr& rows : values_of(body.rows))
      arguments.push_back(tensors_.add(builder_.call("take", {rows, carried[0]}, {{"axis", 0}}, span)));
    arguments.insert(arguments.end(), body.rest.begin(), body.rest.end());
    const std::vector<Expr> results = values_of(inlined_body(body.graph, arguments, span));
    if (results.size() + 1 != carried.size()) lacks_results(span);
    std::vector<Expr> next{builder_.call("add", {carried[0], integer_constant(kRowNumber, 1, span)}, {}, span)};
    next.insert(next.end(), results.begin(), results.begin() + static_cast<std::ptrdiff_t>(first - 1));
    const Expr place = reshaped(builder_, carried[0], {int_imm(1)}, span);
    for (size_t i = first; i < carried.size(); ++i)
      next.push_back(builder_.call("index_put",
                                   {carried[i], Tuple::make({place}), with_axes(builder_, results[i - 1], {0}, span)},
                                   {{"accumulate", false}}, span));
    return next;
  };
  std::vector<Expr> out = loop(builder_, start, goes_on, step, "rows", span);
  out.erase(out.begin());
  return out;
}

/// Returns a tensor for results, whose rows are written one by one.
Expr GraphReader::empty_rows(const Type& stated, const Span& span) {
  const auto* type = stated ? find<TensorType>(stated) : nullptr;
  if (!type || !type->dims()) throw UnsupportedUse{"with a result that the program states no shape of"};
  std::vector<Scalar> dims;
  for (const Scalar& d : *type->dims()) dims.push_back(data_.size(d, span));
  return builder_.call("full", {ShapeExpr::make(std::move(dims)), scalar_constant(type->dtype, 0, span)},
                       {{"dtype", type->dtype}}, span);
}

}  // namespace sunmao::torch
