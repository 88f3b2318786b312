#include "frontend/onnx/heads.h"

#include <cmath>
#include <limits>

namespace sunmao::onnx {
namespace {

int64_t known(const Scalar& s, const char* what) {
  if (const int64_t* number = find_int(s)) return *number;
  throw UnsupportedUse{fmt::format("with a symbolic {}", what)};
}

/// Returns keys or values with as many heads as there are of queries.
Expr for_all_heads(const NodeContext& n, const Expr& x, const Scalar& heads) {
  const Scalar& own = sizes_of(x).at(2);
  if (n.builder.can_prove(Binary::make(BinaryOp::Eq, own, heads))) return x;
  const int64_t all = known(heads, "number of heads"), few = known(own, "number of heads");
  if (few < 1 || all % few != 0) n.fail(fmt::format("{} heads of queries for {} of keys", all, few));
  return n.call("repeat", {x}, {{"repeats", all / few}, {"axis", 2}});
}

Expr sum_of(const NodeContext& n, const std::vector<Expr>& parts) {
  Expr sum = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) sum = binary(n, "add", sum, parts[i]);
  return sum;
}

/// Returns a bias whose sizes are those of the scores, or known to be 1.
Expr for_all_scores(const NodeContext& n, const Heads& h, const Expr& bias) {
  const std::vector<Scalar>*own = dims_of(bias), &query = sizes_of(h.query), &key = sizes_of(h.key);
  const std::vector<Scalar> scores{query.at(0), query.at(2), query.at(1), key.at(1)};
  if (!own || own->size() > scores.size()) return bias;
  std::vector<Scalar> dims = *own;
  for (size_t i = 0; i < dims.size(); ++i)
    if (!is_number(dims[i], 1)) dims[i] = scores[scores.size() - dims.size() + i];
  return broadcast(n.builder, bias, std::move(dims), n.span);
}

/// Returns `x` with 0 for the queries from which all keys are hidden. `x` is (batch, heads, sequence, …).
Expr zero_where_all_is_hidden(const NodeContext& n, const Expr& x, const Expr& bias) {
  const Expr most = n.call("max", {bias}, {{"axis", AttrValue::ints({-1})}, {"keepdims", true}});
  return chosen(n, binary(n, "equal", most, -kInfinity), n.constant(dtype_of(x), 0), x);
}

}  // namespace

Expr heads_apart(const NodeContext& n, const Expr& x, int64_t heads) {
  const std::vector<Scalar>& d = sizes_of(x);
  if (d.size() != 3) n.fail(fmt::format("a tensor of rank {}, expected 3", d.size()));
  if (heads < 1) n.fail("the number of heads is missing");
  return reshaped(n.builder, x, {d[0], d[1], int_imm(heads), n.builder.simplify(floor_div(d[2], int_imm(heads)))},
                  n.span);
}

Expr heads_together(const NodeContext& n, const Expr& x) { return flattened(n.builder, x, 2, 3, n.span); }

Expr turned(const NodeContext& n, const Expr& x) { return permuted(n.builder, x, {0, 2, 1, 3}, n.span); }

Expr bias_of_mask(const NodeContext& n, const Expr& mask, DType dtype, double hidden) {
  return chosen(n, mask, n.constant(dtype, 0), n.constant(dtype, hidden));
}

Expr seen_keys(const NodeContext& n, const Expr& offset, const Scalar& queries, const Scalar& keys,
               const SeenKeys& seen) {
  const DType int64 = DType::int_(64);
  const Expr place = binary(n, "add", places_along(n, queries, int64, 2, 4), offset);
  const Expr distance = binary(n, "subtract", place, places_along(n, keys, int64, 3, 4));
  Expr result;
  if (seen.left) result = binary(n, "less_equal", distance, static_cast<double>(*seen.left));
  if (!seen.right) return result;
  const Expr is_before = binary(n, "greater_equal", distance, static_cast<double>(-*seen.right));
  return result ? binary(n, "logical_and", result, is_before) : is_before;
}

Expr attention(const NodeContext& n, const Heads& h) {
  if (h.softcap != 0) {
    Scores unused;
    return attention_in_steps(n, h, unused);
  }
  const Scalar heads = sizes_of(h.query).at(2);
  std::vector<Expr> args{h.query, for_all_heads(n, h.key, heads), for_all_heads(n, h.value, heads)};
  if (!h.biases.empty()) args.push_back(for_all_scores(n, h, sum_of(n, h.biases)));
  AttrMap attrs;
  if (h.scale) attrs["scale"] = *h.scale;
  if (h.causal) attrs["causal_mask"] = h.causal;
  return n.call(h.biases.empty() ? "nn.attention" : "nn.attention_bias", args, std::move(attrs));
}

Expr attention_in_steps(const NodeContext& n, const Heads& h, Scores& scores) {
  const Scalar heads = sizes_of(h.query).at(2);
  const double scale =
      h.scale ? *h.scale : 1 / std::sqrt(static_cast<double>(known(sizes_of(h.query).at(3), "width of heads")));
  const Expr key = permuted(n.builder, for_all_heads(n, h.key, heads), {0, 2, 3, 1}, n.span);
  scores.product = scaled(n.builder, binary(n, "matmul", turned(n, h.query), key), scale, n.span);
  scores.capped = scores.product;
  if (h.softcap != 0)
    scores.capped = binary(n, "multiply", n.call("tanh", {binary(n, "divide", scores.product, h.softcap)}), h.softcap);
  std::vector<Expr> biases = h.biases;
  if (h.causal) {
    const Scalar queries = sizes_of(h.query).at(1), keys = sizes_of(h.key).at(1);
    const bool from_end = std::string_view(h.causal) == "BottomRight";
    const Scalar offset = from_end ? n.builder.simplify(keys - queries) : int_imm(0);
    const Expr seen =
        seen_keys(n, tensor_of(n.builder, {offset}, false, n.span), queries, keys, {.left = {}, .right = 0});
    biases.push_back(bias_of_mask(n, seen, dtype_of(h.query), -kInfinity));
  }
  scores.biased = scores.capped;
  if (!biases.empty()) scores.biased = binary(n, "add", scores.capped, sum_of(n, biases));
  scores.weights = n.call("nn.softmax", {scores.biased}, {{"axis", -1}});
  if (h.may_hide_all && !biases.empty())
    scores.weights = zero_where_all_is_hidden(n, scores.weights, sum_of(n, biases));
  return turned(n, binary(n, "matmul", scores.weights, turned(n, for_all_heads(n, h.value, heads))));
}

Expr rotated(const NodeContext& n, const Expr& x, const Rotation& r) {
  const int64_t axis = rank_of(x) - 1;
  if (axis < 0 || sizes_of(r.cosine).empty()) n.fail("a rotation of a tensor of rank 0");
  const Scalar half = sizes_of(r.cosine).back(), both = n.builder.simplify(half + half), all = sizes_of(x).back();
  const auto part = [&](const Scalar& begin, const Scalar& end, int64_t step) {
    return sliced(n.builder, x, {{.axis = axis, .begin = begin, .end = end, .step = step}}, n.span);
  };
  const Expr a = r.is_interleaved ? part(int_imm(0), both, 2) : part(int_imm(0), half, 1),
             b = r.is_interleaved ? part(int_imm(1), both, 2) : part(half, both, 1);
  const Expr real = binary(n, "subtract", binary(n, "multiply", a, r.cosine), binary(n, "multiply", b, r.sine)),
             imaginary = binary(n, "add", binary(n, "multiply", a, r.sine), binary(n, "multiply", b, r.cosine));
  Expr out;
  if (r.is_interleaved) {
    std::vector<Scalar> size = sizes_of(x);
    size.back() = both;
    out = n.call("stack", {tuple_of(n, {real, imaginary})}, {{"axis", axis + 1}});
    out = reshaped(n.builder, out, size, n.span);
  } else {
    out = joined(n, {real, imaginary}, axis);
  }
  if (n.builder.can_prove(Binary::make(BinaryOp::Eq, both, all))) return out;
  return joined(n, {out, part(both, all, 1)}, axis);
}

}  // namespace sunmao::onnx
