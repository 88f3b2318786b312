// Converters of Attention, RotaryEmbedding, LinearAttention.
#include "frontend/onnx/heads.h"

namespace sunmao::onnx {
namespace {

/// Attention's inputs: (batch, sequence, heads * width), or (batch, heads, sequence, width).
struct Inputs {
  Heads heads;
  Expr present_key, present_value;  // (batch, heads, keys, width)
  Expr offset;                      // the place of the first query: a number, or one for each of the batch
  bool is_flat;
};

Expr with_past(const NodeContext& n, size_t past, const Expr& x) {
  return n.has_input(past) ? joined(n, {n.tensor(past), x}, 2) : x;
}

Inputs inputs_of(const NodeContext& n) {
  const bool is_flat = n.rank(0) == 3;
  if (!is_flat && n.rank(0) != 4) n.fail(fmt::format("the queries must have rank 3 or 4, got {}", n.rank(0)));
  const auto apart = [&](size_t i, const char* count) {
    return is_flat ? heads_apart(n, n.tensor(i), n.int_attr(count, 0)) : turned(n, n.tensor(i));
  };
  Inputs in{.heads = {}, .present_key = {}, .present_value = {}, .offset = {}, .is_flat = is_flat};
  in.heads.query = apart(0, "q_num_heads");
  const Expr key = is_flat ? apart(1, "kv_num_heads") : Expr(), value = is_flat ? apart(2, "kv_num_heads") : Expr();
  in.present_key = with_past(n, 4, is_flat ? turned(n, key) : n.tensor(1));
  in.present_value = with_past(n, 5, is_flat ? turned(n, value) : n.tensor(2));
  const bool is_plain = is_flat && !n.has_input(4);
  in.heads.key = is_plain ? key : turned(n, in.present_key);
  in.heads.value = is_plain ? value : turned(n, in.present_value);
  return in;
}

/// Returns the mask with rank 4 and with all keys; those that it lacks are hidden.
Expr whole_mask(const NodeContext& n, const Scalar& keys) {
  Expr mask = n.tensor(3);
  if (sizes_of(mask).empty()) n.fail("the mask has rank 0");
  const Scalar own = sizes_of(mask).back();
  if (!n.builder.can_prove(Binary::make(BinaryOp::Eq, own, keys))) {
    const Scalar lacks = n.builder.simplify(keys - own);
    if (!find_int(lacks)) throw UnsupportedUse{"with a mask for another number of keys"};
    std::vector<int64_t> widths(2 * static_cast<size_t>(rank_of(mask)));
    widths.back() = *find_int(lacks);
    const double hidden = dtype_of(mask).is_bool() ? 0 : -kInfinity;
    mask = n.call("nn.pad", {mask}, {{"pad_width", AttrValue::ints(widths)}, {"pad_value", hidden}});
  }
  return with_axes(n.builder, mask, axes_between(0, 4 - rank_of(mask)), n.span);
}

/// Adds what hides keys: the mask, lengths, and windows. A causal mask that the library knows stays one.
void hide_keys(const NodeContext& n, Inputs& in) {
  Heads& h = in.heads;
  const DType dtype = dtype_of(h.query), int64 = DType::int_(64);
  const Scalar queries = sizes_of(h.query).at(1), keys = sizes_of(h.key).at(1);
  const auto hide = [&](const Expr& seen) { h.biases.push_back(bias_of_mask(n, seen, dtype, -kInfinity)); };
  if (n.has_input(3)) {
    const Expr mask = whole_mask(n, keys);
    if (dtype_of(mask).is_bool())
      hide(mask);
    else
      h.biases.push_back(converted(n.builder, mask, dtype, n.span));
  }
  Expr offset = integer_constant(int64, 0, n.span);
  if (n.has_input(4)) offset = tensor_of(n.builder, {sizes_of(n.tensor(4)).at(2)}, false, n.span);
  if (n.has_input(6)) {
    const Expr lengths = with_axes(n.builder, converted(n.builder, n.tensor(6), int64, n.span), {1, 2, 3}, n.span);
    hide(binary(n, "less", places_along(n, keys, int64, 3, 4), lengths));
    offset = binary(n, "subtract", lengths, tensor_of(n.builder, {queries}, false, n.span));
  }
  const bool is_causal = n.int_attr("is_causal", 0) != 0;
  const int64_t left = n.int_attr("left_window_size", -1), right = n.int_attr("right_window_size", -1);
  SeenKeys seen;
  if (left >= 0) seen.left = left;
  if (right >= 0) seen.right = right;
  const Scalar past = n.builder.simplify(keys - queries);
  const bool is_square =
      n.has_input(4) && n.builder.can_prove(Binary::make(BinaryOp::Eq, past, sizes_of(n.tensor(4)).at(2)));
  if (is_causal && !n.has_input(6) && (!n.has_input(4) || is_square)) {
    h.causal = n.has_input(4) ? "BottomRight" : "TopLeft";
  } else if (is_causal) {
    seen.right = 0;
  }
  if (seen.left || seen.right) hide(seen_keys(n, offset, queries, keys, seen));
  h.may_hide_all = !h.biases.empty();
}

Expr result_of(const NodeContext& n, const Inputs& in, const Expr& out) {
  return in.is_flat ? heads_together(n, out) : turned(n, out);
}

Results attend(const NodeContext& n) {
  Inputs in = inputs_of(n);
  if (n.has_attr("scale")) in.heads.scale = n.float_attr("scale", 1);
  in.heads.softcap = n.float_attr("softcap", 0);
  hide_keys(n, in);
  if (!n.has_output(3)) return {result_of(n, in, attention(n, in.heads)), in.present_key, in.present_value};
  Scores scores;
  const Expr out = attention_in_steps(n, in.heads, scores);
  const std::vector<Expr> by_mode{scores.product, scores.capped, scores.biased, scores.weights};
  const int64_t mode = n.int_attr("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) n.fail(fmt::format("`qk_matmul_output_mode` is {}", mode));
  return {result_of(n, in, out), in.present_key, in.present_value, by_mode[static_cast<size_t>(mode)]};
}

/// The caches hold the angles of each place, or are those of the sequence.
Results rotary_embedding(const NodeContext& n) {
  const bool is_flat = n.rank(0) == 3;
  const auto angles = [&](size_t cache) {
    const Expr x = n.has_input(3) ? n.call("take", {n.tensor(cache), n.tensor(3)}, {{"axis", 0}}) : n.tensor(cache);
    return with_axes(n.builder, x, {is_flat ? 2 : 1}, n.span);
  };
  const Expr x = is_flat ? heads_apart(n, n.tensor(0), n.int_attr("num_heads", 0)) : n.tensor(0);
  const Expr out = rotated(n, x, {angles(1), angles(2), n.int_attr("interleaved", 0) != 0});
  return is_flat ? heads_together(n, out) : out;
}

/// Rules with a gate have a decay, delta rules a rate.
Results linear_attention(const NodeContext& n) {
  const int64_t queries = n.int_attr("q_num_heads", 0), keys = n.int_attr("kv_num_heads", 0);
  const std::string rule = n.string_attr("update_rule", "gated_delta");
  const bool is_gated = rule == "gated" || rule == "gated_delta", has_rate = rule == "delta" || rule == "gated_delta";
  const Expr key = heads_apart(n, n.tensor(1), keys);
  std::vector<Expr> args{heads_apart(n, n.tensor(0), queries),
                         key,
                         heads_apart(n, n.tensor(2), keys),
                         n.tensor_or(3, absent()),
                         absent(),
                         absent()};
  if (is_gated) args[4] = heads_apart(n, n.tensor(4), keys);
  if (has_rate) {
    std::vector<Scalar> size = sizes_of(key);
    size.back() = int_imm(1);
    args[5] = broadcast(n.builder, with_axes(n.builder, n.tensor(5), {3}, n.span), size, n.span);
  }
  AttrMap attrs{{"update_rule", rule}};
  if (const double scale = n.float_attr("scale", 0); scale != 0) attrs["scale"] = scale;
  const Results found = n.fields(n.call("nn.linear_attention", std::move(args), std::move(attrs)), 2);
  return {heads_together(n, found.values[0]), found.values[1]};
}

}  // namespace

std::vector<Converter> attention_converters() {
  return {{"Attention", 23, attend,
           "`R.nn.attention`, `R.nn.attention_bias`; with a soft cap or scores as outputs `R.matmul`, `R.nn.softmax`"},
          {"RotaryEmbedding", 23, rotary_embedding, "`R.take`, `R.strided_slice`, `R.multiply`, `R.concat`"},
          {"LinearAttention", 27, linear_attention, "`R.nn.linear_attention`, `R.reshape`"}};
}

}  // namespace sunmao::onnx
