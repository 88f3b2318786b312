// Converters of scaled dot product attention.
#include <cmath>
#include <limits>
#include <numeric>

#include "frontend/shapes.h"
#include "frontend/torch/draws.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// The dimensions of the result before (sequence, width): the batch, of which several are merged, and the heads.
struct Lead {
  std::vector<Scalar> dims;
};

/// Returns the operand (batch, heads, sequence, width) as (batch, sequence, heads, width); without heads they are one.
Expr by_sequence(const NodeContext& n, Expr x, const Lead& lead) {
  std::vector<Scalar> dims = lead.dims;
  const std::vector<Scalar> own = n.dims(x);
  dims.insert(dims.end(), own.end() - 2, own.end());
  x = broadcast(n.builder, x, dims, n.span);
  const size_t rank = dims.size();
  if (rank == 2) return with_axes(n.builder, x, {0, 2}, n.span);
  if (rank == 3) return with_axes(n.builder, x, {2}, n.span);
  x = flattened(n.builder, x, 0, rank - 4, n.span);
  return permuted(n.builder, x, {0, 2, 1, 3}, n.span);
}

Expr as_operand(const NodeContext& n, Expr y, const Lead& lead) {
  if (lead.dims.empty()) return without_axes(n.builder, y, {0, 2}, n.span);
  if (lead.dims.size() == 1) return without_axes(n.builder, y, {2}, n.span);
  y = permuted(n.builder, y, {0, 2, 1, 3}, n.span);
  std::vector<Scalar> dims = lead.dims;
  const std::vector<Scalar> own = n.dims(y);
  dims.insert(dims.end(), own.end() - 2, own.end());
  return reshaped(n.builder, y, dims, n.span);
}

/// Returns what is added to the scores: a bool mask says what to look at.
Expr bias_of(const NodeContext& n, const Expr& mask, DType dtype) {
  if (!dtype_of(mask).is_bool()) return converted(n.builder, mask, dtype, n.span);
  return n.call("where", {mask, n.constant(dtype, 0), n.constant(dtype, -std::numeric_limits<double>::infinity())});
}

/// Returns the mask with the axes (batch, heads, sequence, keys), of which the last one is not broadcast.
Expr mask_of(const NodeContext& n, Expr mask, const Lead& lead, const Scalar& keys) {
  int64_t rank = n.rank(mask);
  if (rank == 0) mask = with_axes(n.builder, mask, {0}, n.span), rank = 1;
  std::vector<Scalar> wide = n.dims(mask);
  wide.back() = keys;
  if (const int64_t* last = find_int(n.dims(mask).at(n.dims(mask).size() - 1)); last && *last == 1)
    mask = broadcast(n.builder, mask, wide, n.span);
  if (lead.dims.size() == 1) {
    if (rank == 3) return with_axes(n.builder, mask, {1}, n.span);
  } else if (lead.dims.size() > 2 && rank > 3) {
    std::vector<Scalar> dims = lead.dims;
    const std::vector<Scalar> own = n.dims(mask);
    dims.insert(dims.end(), own.end() - 2, own.end());
    mask = broadcast(n.builder, mask, dims, n.span);
    return flattened(n.builder, mask, 0, dims.size() - 4, n.span);
  }
  for (; rank < 4; ++rank) mask = with_axes(n.builder, mask, {0}, n.span);
  return mask;
}

/// Returns the leading dimensions that all three have in common.
Lead common_lead(const NodeContext& n, const std::vector<Expr>& operands) {
  Lead lead;
  for (const Expr& x : operands) {
    const std::vector<Scalar>& dims = n.dims(x);
    if (dims.size() < 2) n.malformed("query");
    while (lead.dims.size() < dims.size() - 2) lead.dims.insert(lead.dims.begin(), int_imm(1));
    for (size_t i = 0; i + 2 < dims.size(); ++i) {
      Scalar& common = lead.dims[lead.dims.size() - (dims.size() - 2) + i];
      if (find_int(common) && *find_int(common) == 1) common = dims[i];
    }
  }
  return lead;
}

/// Repeats the heads of keys or values, of which several queries share one.
Expr with_heads(const NodeContext& n, const Expr& x, const Expr& query) {
  const size_t axis = n.dims(x).size() - 3;
  const int64_t *have = find_int(n.dims(x).at(axis)), *want = find_int(n.dims(query).at(n.dims(query).size() - 3));
  if (!have || !want || *have == 0 || *want % *have != 0) throw UnsupportedUse{"with heads of unknown number"};
  if (*have == *want) return x;
  return n.call("repeat", {x}, {{"repeats", *want / *have}, {"axis", static_cast<int64_t>(axis)}});
}

/// Returns true where a query may look at a key: at those up to its own place.
Expr causal_mask(const NodeContext& n, const Scalar& queries, const Scalar& keys) {
  const Expr all = n.call("full", {ShapeExpr::make({queries, keys}, n.span), n.constant(DType::uint(8), 1)},
                          {{"dtype", DType::uint(8)}});
  return converted(n.builder, n.call("tril", {all}), DType::bool_(), n.span);
}

/// Drops weights of the values, which `nn.attention` does not give.
Expr attention_with_dropout(const NodeContext& n, const Expr& query, const Expr& key, const Expr& value) {
  const DType dtype = dtype_of(query);
  const std::vector<Scalar> queries = n.dims(query), keys = n.dims(key);
  std::vector<int64_t> axes(keys.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes.at(axes.size() - 1), axes.at(axes.size() - 2));
  const int64_t* width = find_int(queries.at(queries.size() - 1));
  if (!width && !n.has("scale")) throw UnsupportedUse{"with dropout and a width that is unknown"};
  const double scale = n.has("scale") ? n.real("scale") : 1 / std::sqrt(static_cast<double>(*width));
  Expr scores = n.call("matmul", {scaled(n.builder, query, scale, n.span), permuted(n.builder, key, axes, n.span)});
  if (n.has("attn_mask")) scores = n.call("add", {scores, bias_of(n, n.tensor("attn_mask"), dtype)});
  if (n.boolean("is_causal", false)) {
    const Expr mask = causal_mask(n, queries.at(queries.size() - 2), keys.at(keys.size() - 2));
    scores = n.call("add", {scores, bias_of(n, mask, dtype)});
  }
  const Expr weights = n.builder.bind(n.call("nn.softmax", {scores}, {{"axis", -1}}), "weights");
  return n.call("matmul", {dropped_out(n, weights, n.real("dropout_p")), value});
}

Expr attention_of(const NodeContext& n) {
  Expr query = n.tensor("query"), key = n.tensor("key"), value = n.tensor("value");
  if (n.boolean("enable_gqa", false)) {
    if (rank_of(query) < 3) n.malformed("query");
    key = with_heads(n, key, query);
    value = with_heads(n, value, query);
  }
  const Lead lead = common_lead(n, {query, key, value});
  if (n.real("dropout_p", 0.0) != 0) return attention_with_dropout(n, query, key, value);
  const Scalar keys = n.dims(key).at(n.dims(key).size() - 2);
  std::vector<Expr> args{by_sequence(n, query, lead), by_sequence(n, key, lead), by_sequence(n, value, lead)};
  if (n.has("attn_mask")) args.push_back(mask_of(n, bias_of(n, n.tensor("attn_mask"), dtype_of(query)), lead, keys));
  AttrMap attrs;
  if (n.boolean("is_causal", false)) attrs["causal_mask"] = "TopLeft";
  if (n.has("scale")) attrs["scale"] = n.real("scale");
  const char* op = args.size() > 3 ? "nn.attention_bias" : "nn.attention";
  return as_operand(n, n.call(op, std::move(args), std::move(attrs)), lead);
}
Results attention(const NodeContext& n) { return attention_of(n); }

}  // namespace

std::vector<Converter> attention_converters() {
  std::vector<Converter> rows;
  for (const char* target :
       {"aten.scaled_dot_product_attention.default", "aten._scaled_dot_product_flash_attention_for_cpu.default",
        "aten._scaled_dot_product_attention_math.default"})
    rows.push_back({target, attention, "`R.nn.attention`; with dropout `R.matmul`, `R.nn.softmax`, `R.random.uniform`",
                    "the first output alone"});
  return rows;
}

}  // namespace sunmao::torch
