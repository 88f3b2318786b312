// Converters of ONNX Runtime's attention: Attention, MultiHeadAttention, GroupQueryAttention, RotaryEmbedding.
#include "frontend/onnx/heads.h"
#include "frontend/onnx/quantize.h"

namespace sunmao::onnx {
namespace {

Expr lengths_as(const NodeContext& n, const Expr& x, const std::vector<int64_t>& axes) {
  return with_axes(n.builder, converted(n.builder, x, DType::int_(64), n.span), axes, n.span);
}

/// Returns where a mask lets keys be seen: 1 for each that counts, as (batch, keys) or (batch, sequence, keys), or how
/// many of each of the batch count, as (batch,), or where they end, then where they begin, as (2 * batch,).
Expr seen_by_mask(const NodeContext& n, const Expr& mask, const Scalar& batch, const Scalar& keys) {
  const int rank = rank_of(mask);
  if (rank == 2) return with_axes(n.builder, binary(n, "not_equal", mask, 0), {1, 2}, n.span);
  if (rank == 3) return with_axes(n.builder, binary(n, "not_equal", mask, 0), {1}, n.span);
  if (rank != 1) throw UnsupportedUse{fmt::format("with a mask of rank {}", rank)};
  const Expr places = places_along(n, keys, DType::int_(64), 3, 4);
  const Scalar& count = sizes_of(mask).at(0);
  const auto equals = [&](const Scalar& s) { return n.builder.can_prove(Binary::make(BinaryOp::Eq, count, s)); };
  if (equals(batch)) return binary(n, "less", places, lengths_as(n, mask, {1, 2, 3}));
  if (!equals(n.builder.simplify(batch * int_imm(2)))) throw UnsupportedUse{"with such an index of a mask"};
  const auto half = [&](const Scalar& begin, const Scalar& end) {
    return lengths_as(n, sliced(n.builder, mask, {{.axis = 0, .begin = begin, .end = end}}, n.span), {1, 2, 3});
  };
  return binary(n, "logical_and", binary(n, "less", places, half(int_imm(0), batch)),
                binary(n, "greater_equal", places, half(batch, count)));
}

void add_mask(const NodeContext& n, Heads& h, size_t input) {
  if (!n.has_input(input)) return;
  const Expr seen = seen_by_mask(n, n.tensor(input), sizes_of(h.query).at(0), sizes_of(h.key).at(1));
  h.biases.push_back(bias_of_mask(n, seen, dtype_of(h.query), n.float_attr("mask_filter_value", -10000)));
}

void read_attributes(const NodeContext& n, Heads& h, size_t bias) {
  if (n.has_attr("scale") && n.float_attr("scale", 0) != 0) h.scale = n.float_attr("scale", 0);
  if (n.int_attr("unidirectional", 0)) h.causal = "BottomRight";
  if (!n.has_input(bias)) return;
  std::vector<Scalar> whole = sizes_of(n.tensor(bias));
  if (whole.size() != 4) n.fail("`attention_bias` must have rank 4");
  h.biases.push_back(n.tensor(bias));
}

/// Returns elements [begin, end) of the last axis.
Expr columns(const NodeContext& n, const Expr& x, const Scalar& begin, const Scalar& end) {
  return sliced(n.builder, x,
                {{.axis = rank_of(x) - 1, .begin = n.builder.simplify(begin), .end = n.builder.simplify(end)}}, n.span);
}

/// The inputs of Attention and QAttention; the latter has no other bias.
struct AttentionInputs {
  size_t mask, past, bias;
};

/// The projections of the input to queries, keys and values stand behind each other.
Results attention_of_projections(const NodeContext& n, const Expr& all, const AttentionInputs& in) {
  if (n.int_attr("do_rotary", 0)) throw UnsupportedUse{"with rotary embeddings"};
  if (n.int_attr("past_present_share_buffer", 0)) throw UnsupportedUse{"with a shared buffer"};
  const int64_t count = n.int_attr("num_heads", 0);
  const Scalar third = floor_div(sizes_of(all).at(2), int_imm(3));
  Scalar q = third, k = third, v = third;
  if (const auto widths = n.ints_attr("qkv_hidden_sizes"); widths && widths->size() == 3)
    q = int_imm((*widths)[0]), k = int_imm((*widths)[1]), v = int_imm((*widths)[2]);
  const auto part = [&](const Scalar& begin, const Scalar& width) {
    return heads_apart(n, columns(n, all, begin, begin + width), count);
  };
  Heads h{.query = part(int_imm(0), q), .key = part(q, k), .value = part(q + k, v), .biases = {}, .scale = {}};
  Expr present_key = turned(n, h.key), present_value = turned(n, h.value);
  if (n.has_input(in.past)) {
    present_key = joined(n, {slice_at(n, n.tensor(in.past), 0, 0), present_key}, 2);
    present_value = joined(n, {slice_at(n, n.tensor(in.past), 1, 0), present_value}, 2);
    h.key = turned(n, present_key), h.value = turned(n, present_value);
  }
  read_attributes(n, h, in.bias);
  add_mask(n, h, in.mask);
  const Expr out = heads_together(n, attention(n, h));
  if (!n.has_output(1)) return out;
  return {out, n.call("stack", {tuple_of(n, {present_key, present_value})}, {{"axis", 0}})};
}

Results attention_of_input(const NodeContext& n) {
  Expr all = binary(n, "matmul", n.tensor(0), n.tensor(1));
  if (n.has_input(2)) all = binary(n, "add", all, n.tensor(2));
  return attention_of_projections(n, all, {.mask = 3, .past = 4, .bias = 5});
}

/// Input and weight are bytes; the weight may have a scale for each column.
Results attention_of_bytes(const NodeContext& n) {
  constexpr size_t kMask = 5, kPast = 8, kNoInput = 9;
  const Expr x = dequantized(n, n.tensor(0), 3, 6), weight = dequantized(n, n.tensor(1), 4, 7, 1);
  const Expr all = binary(n, "add", binary(n, "matmul", x, weight), n.tensor(2));
  return attention_of_projections(n, all, {.mask = kMask, .past = kPast, .bias = kNoInput});
}

/// The queries, keys and values of MultiHeadAttention as (batch, sequence, heads, width): each for itself, or packed.
Heads packed_heads(const NodeContext& n) {
  const int64_t count = n.int_attr("num_heads", 0);
  Heads h{.query = {}, .key = {}, .value = {}, .biases = {}, .scale = {}};
  if (n.rank(0) == 5) {
    h.query = slice_at(n, n.tensor(0), 0, 3), h.key = slice_at(n, n.tensor(0), 1, 3),
    h.value = slice_at(n, n.tensor(0), 2, 3);
    return h;
  }
  h.query = heads_apart(n, n.tensor(0), count);
  if (n.rank(1) == 5) {
    h.key = slice_at(n, n.tensor(1), 0, 3), h.value = slice_at(n, n.tensor(1), 1, 3);
  } else if (n.rank(1) == 4) {
    h.key = turned(n, n.tensor(1)), h.value = turned(n, n.tensor(2));
  } else {
    h.key = heads_apart(n, n.tensor(1), count), h.value = heads_apart(n, n.tensor(2), count);
  }
  return h;
}

/// Adds the parts of a bias that stand behind each other to queries, keys and values. Keys of another sequence that
/// come with their heads apart have theirs already.
void add_biases(const NodeContext& n, Heads& h) {
  if (!n.has_input(3)) return;
  Scalar begin = int_imm(0);
  const bool has_key_bias = n.rank(0) == 5 || n.rank(1) != 4;
  for (Expr* x : {&h.query, &h.key, &h.value}) {
    const Scalar heads = sizes_of(*x).at(2), width = sizes_of(*x).at(3);
    const Scalar end = n.builder.simplify(begin + heads * width);
    const Expr bias = reshaped(n.builder, columns(n, n.tensor(3), begin, end), {heads, width}, n.span);
    if (x == &h.query || has_key_bias) *x = binary(n, "add", *x, bias);
    begin = end;
  }
}

Results multi_head_attention(const NodeContext& n) {
  if (n.has_input(8) || n.has_input(9)) throw UnsupportedUse{"with a shared buffer"};
  Heads h = packed_heads(n);
  add_biases(n, h);
  Expr present_key = turned(n, h.key), present_value = turned(n, h.value);
  if (n.has_input(6)) {
    present_key = joined(n, {n.tensor(6), present_key}, 2), present_value = joined(n, {n.tensor(7), present_value}, 2);
    h.key = turned(n, present_key), h.value = turned(n, present_value);
  }
  read_attributes(n, h, 5);
  add_mask(n, h, 4);
  if (!n.has_output(3)) return {heads_together(n, attention(n, h)), present_key, present_value};
  Scores scores;
  const Expr out = attention_in_steps(n, h, scores);
  return {heads_together(n, out), present_key, present_value, scores.weights};
}

/// Returns the angles of the places, as (batch or 1, sequence, 1, width).
Expr angles(const NodeContext& n, size_t cache, const Expr& places) {
  return with_axes(n.builder, n.call("take", {n.tensor(cache), places}, {{"axis", 0}}), {2}, n.span);
}

/// Positions of one element are that of the first of the sequence.
Results rotary_by_places(const NodeContext& n) {
  if (n.int_attr("is_packed_batching", 0)) throw UnsupportedUse{"of packed batches"};
  const bool is_flat = n.rank(0) == 3;
  Expr x = is_flat ? n.tensor(0) : turned(n, n.tensor(0)), places = n.tensor(1);
  if (is_flat) {
    int64_t heads = n.int_attr("num_heads", 0);
    if (heads == 0) {
      const Scalar width = n.builder.simplify(sizes_of(n.tensor(2)).at(1) * int_imm(2));
      const Scalar count = n.builder.simplify(floor_div(sizes_of(x).at(2), width));
      if (!find_int(count)) throw UnsupportedUse{"of a symbolic number of heads"};
      heads = *find_int(count);
    }
    x = heads_apart(n, x, heads);
  }
  if (rank_of(places) == 1) {
    const Expr first = with_axes(n.builder, converted(n.builder, places, DType::int_(64), n.span), {0}, n.span);
    places = binary(n, "add", places_along(n, sizes_of(x).at(1), DType::int_(64), 1, 2), first);
  }
  x = scaled(n.builder, x, n.float_attr("scale", 1), n.span);
  const Expr out = rotated(n, x, {angles(n, 2, places), angles(n, 3, places), n.int_attr("interleaved", 0) != 0});
  return is_flat ? heads_together(n, out) : turned(n, out);
}

void refuse_of_group_query(const NodeContext& n) {
  if (n.int_attr("smooth_softmax", 0) > 0 || n.has_input(11)) throw UnsupportedUse{"with a smooth softmax"};
  if (n.has_input(12) || n.has_input(13)) throw UnsupportedUse{"with a quantised cache"};
  if (n.has_input(14) || n.has_input(15)) throw UnsupportedUse{"that normalises queries"};
  if (n.int_attr("sliding_window_cache", 0)) throw UnsupportedUse{"with a cache of a window"};
  if (n.has_output(3)) throw UnsupportedUse{"with scores as an output"};
}

/// Returns the queries, keys and values of the new elements; all may stand in the first input.
Heads grouped_heads(const NodeContext& n) {
  const int64_t count = n.int_attr("num_heads", 0), few = n.int_attr("kv_num_heads", 0);
  Heads h{.query = {}, .key = {}, .value = {}, .biases = {}, .scale = {}};
  if (n.has_input(1)) {
    h.query = heads_apart(n, n.tensor(0), count);
    h.key = heads_apart(n, n.tensor(1), few), h.value = heads_apart(n, n.tensor(2), few);
    return h;
  }
  require_rank(n, 0, 3);
  constexpr int64_t kMostHeads = int64_t{1} << 31;
  if (count < 1 || few < 1 || count > kMostHeads || few > kMostHeads)
    n.fail(fmt::format("{} heads of queries, {} of keys", count, few));
  const Scalar width = floor_div(n.dims(0).at(2), int_imm(count + 2 * few));
  const auto part = [&](int64_t begin, int64_t heads) {
    return heads_apart(n, columns(n, n.tensor(0), width * int_imm(begin), width * int_imm(begin + heads)), heads);
  };
  h.query = part(0, count), h.key = part(count, few), h.value = part(count + few, few);
  return h;
}

/// The cache holds the elements before, as many for each of the batch; the new ones stand behind them.
Results group_query_attention(const NodeContext& n) {
  refuse_of_group_query(n);
  Heads h = grouped_heads(n);
  const DType int64 = DType::int_(64);
  if (n.has_input(3)) require_rank(n, 3, 4);
  const Scalar queries = sizes_of(h.query).at(1), past = n.has_input(3) ? n.dims(3).at(2) : int_imm(0);
  const Expr offset = tensor_of(n.builder, {past}, false, n.span);
  if (n.int_attr("do_rotary", 0)) {
    const Expr places = n.has_input(9) ? n.tensor(9) : binary(n, "add", places_along(n, queries, int64, 1, 2), offset);
    const Rotation rotation{angles(n, 7, places), angles(n, 8, places), n.int_attr("rotary_interleaved", 0) != 0};
    h.query = rotated(n, h.query, rotation), h.key = rotated(n, h.key, rotation);
  }
  Expr present_key = turned(n, h.key), present_value = turned(n, h.value);
  if (n.has_input(3)) {
    present_key = joined(n, {n.tensor(3), present_key}, 2), present_value = joined(n, {n.tensor(4), present_value}, 2);
    h.key = turned(n, present_key), h.value = turned(n, present_value);
  }
  read_attributes(n, h, 10);
  h.softcap = n.float_attr("softcap", 0);
  if (n.int_attr("causal", 1)) h.causal = "BottomRight";
  if (const int64_t window = n.int_attr("local_window_size", -1); window > 0) {
    const Expr seen = seen_keys(n, offset, queries, sizes_of(h.key).at(1), {.left = window - 1, .right = {}});
    h.biases.push_back(bias_of_mask(n, seen, dtype_of(h.query), -kInfinity));
  }
  return {heads_together(n, attention(n, h)), present_key, present_value};
}

}  // namespace

std::vector<Converter> contrib_attention_converters() {
  const char* kBecomes = "`R.nn.attention`, `R.nn.attention_bias`, `R.matmul`, `R.concat`";
  return {{"com.microsoft::Attention", 1, attention_of_input, kBecomes,
           "without rotary embeddings and shared buffers; masks up to rank 3"},
          {"com.microsoft::QAttention", 1, attention_of_bytes,
           "`R.dequantize`, `R.nn.attention`, `R.nn.attention_bias`, `R.matmul`, `R.concat`",
           "without rotary embeddings and shared buffers; masks up to rank 3"},
          {"com.microsoft::MultiHeadAttention", 1, multi_head_attention, kBecomes, "without shared buffers"},
          {"com.microsoft::GroupQueryAttention", 1, group_query_attention, kBecomes,
           "without shared buffers; all sequences of a batch are equally long"},
          {"com.microsoft::RotaryEmbedding", 1, rotary_by_places, "`R.take`, `R.multiply`, `R.concat`"}};
}

}  // namespace sunmao::onnx
