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
constexpr int64_t kRowsOfChunk = 64;

/// Returns 0, 1, … up to `count`.
Expr numbers_to(ModelBuilder& builder, const Scalar& count, const Span& span) {
  return builder.call("arange", {scalar_operand(int_imm(0)), scalar_operand(count), scalar_operand(int_imm(1))},
                      {{"dtype", kRowNumber}}, span);
}

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

/// A loop over the rows, in a loop over chunks of them: a step copies what it adds a row to, which is a chunk, not all
/// rows. Both carry the number of the row, what a scan carries, and rows of results, of which there is room for whole
/// chunks.
std::vector<Expr> GraphReader::looped(const RowsOfBody& body, const Scalar& count, const std::vector<Output>& outputs,
                                      const Span& span) {
  unrolled_ += 1 + body.graph["nodes"].size();
  if (unrolled_ > 2 * kMostUnrolled) throw UnsupportedUse{fmt::format("of more than {} nodes in all", kMostUnrolled)};
  const auto first = static_cast<std::ptrdiff_t>(1 + body.carried.size());
  const Scalar chunk = int_imm(kRowsOfChunk);
  const Scalar room = builder_.simplify(floor_div(count + chunk - int_imm(1), chunk) * chunk);
  bind_all({body.carried, body.rows, body.rest});
  const auto number = [&](const Scalar& s) { return tensor_of(builder_, {s}, false, span); };
  const auto call = [&](const char* op, const Expr& x, const Expr& y) { return builder_.call(op, {x, y}, {}, span); };
  const auto with_rows = [&](std::vector<Expr> carried, const Scalar& rows) {
    for (size_t i = body.carried.size(); i < outputs.size(); ++i)
      carried.push_back(empty_rows(outputs[i].recorded, rows, span));
    return carried;
  };
  const auto chunks = [&](const std::vector<Expr>& carried) {
    const Expr begin = carried[0], end = call("minimum", call("add", begin, number(chunk)), number(count));
    const auto row = [&](const std::vector<Expr>& own) { return row_of_body(body, own, begin, span); };
    std::vector<Expr> next = loop(
        builder_, with_rows({carried.begin(), carried.begin() + first}, chunk),
        [&](const std::vector<Expr>& own) { return std::vector{call("less", own[0], end)}; }, row, "rows", span);
    const Expr places = call("add", begin, numbers_to(builder_, chunk, span));
    for (size_t i = static_cast<size_t>(first); i < next.size(); ++i)
      next[i] = written_rows(carried[i], places, next[i], span);
    return next;
  };
  std::vector<Expr> start{number(int_imm(0))};
  for (const Expr& e : values_of(body.carried)) start.push_back(e);
  std::vector<Expr> out = loop(
      builder_, with_rows(std::move(start), room),
      [&](const std::vector<Expr>& carried) { return std::vector{call("less", carried[0], number(count))}; }, chunks,
      "chunks", span);
  for (size_t i = static_cast<size_t>(first); i < out.size(); ++i)
    out[i] = sliced(builder_, out[i], {{0, int_imm(0), count}}, span);
  out.erase(out.begin());
  return out;
}

/// Returns what follows the number of a row, what is carried, and the rows of the chunk that begins at `begin`.
std::vector<Expr> GraphReader::row_of_body(const RowsOfBody& body, const std::vector<Expr>& own, const Expr& begin,
                                           const Span& span) {
  Ids arguments;
  for (size_t i = 1; i <= body.carried.size(); ++i) arguments.push_back(tensors_.add(own[i]));
  for (const Expr& rows : values_of(body.rows))
    arguments.push_back(tensors_.add(builder_.call("take", {rows, own[0]}, {{"axis", 0}}, span)));
  arguments.insert(arguments.end(), body.rest.begin(), body.rest.end());
  std::vector<Expr> next = values_of(inlined_body(body.graph, arguments, span));
  if (next.size() + 1 != own.size()) lacks_results(span);
  const Expr one = integer_constant(kRowNumber, 1, span);
  next.insert(next.begin(), builder_.call("add", {own[0], one}, {}, span));
  const Expr place = reshaped(builder_, builder_.call("subtract", {own[0], begin}, {}, span), {int_imm(1)}, span);
  for (size_t i = 1 + body.carried.size(); i < own.size(); ++i)
    next[i] = written_rows(own[i], place, with_axes(builder_, next[i], {0}, span), span);
  return next;
}

Expr GraphReader::written_rows(const Expr& whole, const Expr& places, const Expr& rows, const Span& span) {
  return builder_.call("index_put", {whole, Tuple::make({places}), rows}, {{"accumulate", false}}, span);
}

/// Returns a tensor for results, of which there are `rows`.
Expr GraphReader::empty_rows(const Type& stated, const Scalar& rows, const Span& span) {
  const auto* type = stated ? find<TensorType>(stated) : nullptr;
  if (!type || !type->dims() || type->dims()->empty())
    throw UnsupportedUse{"with a result that the program states no shape of"};
  std::vector<Scalar> dims{rows};
  for (size_t i = 1; i < type->dims()->size(); ++i) dims.push_back(data_.size((*type->dims())[i], span));
  return builder_.call("full", {ShapeExpr::make(std::move(dims)), scalar_constant(type->dtype, 0, span)},
                       {{"dtype", type->dtype}}, span);
}

}  // namespace sunmao::torch
