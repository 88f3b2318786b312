// Attention ops: softmax(query key^T * scale + bias) value, on tensors of shape (batch, sequence, heads, width).
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "ops/attention.h"
#include "ops/broadcast.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

void check_mask(const InferInput& in) {
  if (!in.attr("causal_mask").is_none()) word_attr(in, "causal_mask", {"TopLeft", "BottomRight"});  // C1
}

void check_same(const InferInput& in, const TensorType& a, size_t i, const TensorType& b, size_t j, const char* what) {
  if (a.dims() && b.dims()) need_equal_sizes(in, what, (*a.dims())[i], (*b.dims())[j]);
}

// The queries, keys and values of an attention, with their dtype and device.
struct Operands {
  const TensorType &q, &k, &v;
  DType dtype;
  Ref<VDevice> device;
};

// Returns the operands after checking C1 to C4.
Operands operands_of(const InferInput& in) {
  const TensorType &q = in.tensor(0), &k = in.tensor(1), &v = in.tensor(2);
  check_mask(in);                                      // C1
  for (size_t i = 0; i < 3; ++i) need_rank(in, i, 4);  // C2
  const DType dtype = common_dtype(in, q, k);          // C3
  common_dtype(in, q, v);
  need_float(in, q);
  Ref<VDevice> device = shared_vdevice(in, {&q, &k, &v});
  check_same(in, q, 0, k, 0, "batches");  // C4
  check_same(in, q, 0, v, 0, "batches");
  check_same(in, q, 2, k, 2, "heads");
  check_same(in, q, 2, v, 2, "heads");
  check_same(in, k, 1, v, 1, "sequences of keys and values");
  check_same(in, q, 3, k, 3, "widths of queries and keys");
  return {q, k, v, dtype, std::move(device)};
}

Type infer_attention(const InferInput& in) {
  const auto& [q, k, v, dtype, device] = operands_of(in);
  if (in.has(3)) {
    const TensorType& bias = in.tensor(3);
    common_dtype(in, q, bias);
    need_rank(in, 3, 4);
    if (bias.dims() && q.dims() && k.dims()) {
      Scalar wanted[4] = {(*q.dims())[0], (*q.dims())[2], (*q.dims())[1], (*k.dims())[1]};
      for (size_t i = 0; i < 4; ++i) {
        const int64_t* size = find_int((*bias.dims())[i]);
        bool repeats = size && *size == 1 && i < 3;
        if (!repeats && !in.can_agree((*bias.dims())[i], wanted[i]))  // C5
          in.error("E0309", fmt::format("dimension {} of `bias` is {}, not {}", i, describe((*bias.dims())[i]),
                                        describe(wanted[i])));
      }
    }
  }
  if (!written(q) || !written(v)) return TensorType::make_unknown(dtype, 4, device);
  const std::vector<Scalar>&a = *written(q), &b = *written(v);
  return TensorType::make({a[0], a[1], a[2], b[3]}, dtype, device);
}

Ref<BaseFunc> lower_attention(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder kb("attention");
  Ref<Buffer> q = kb.input("query", call.args[0]->type), k = kb.input("key", call.args[1]->type),
              v = kb.input("value", call.args[2]->type),
              bias = in.has(3) ? kb.input("bias", call.args[3]->type) : nullptr,
              y = kb.output("T_attention", call.type);
  DType dtype = accumulator(q->dtype);
  std::vector<Scalar> shape{q->shape[0], q->shape[2], q->shape[1], k->shape[1]}, rows{shape[0], shape[1], shape[2]};
  Scalar scale = in.attr("scale").is_none() ? intrinsic("rsqrt", Cast::make(dtype, q->shape[3]))
                                            : constant(dtype, in.float_attr("scale"));
  Ref<Buffer> product = kb.alloc("score_sum", dtype, shape), score = kb.alloc("score", dtype, shape);
  kb.reduce(product, "score_sum", {q->shape[3]}, summed(dtype), [&](const Indices& at, const Indices& r) {
    return cast_to(dtype, load(q, {at[0], at[2], at[1], r[0]})) * cast_to(dtype, load(k, {at[0], at[3], at[1], r[0]}));
  });
  kb.compute(score, "score", [&](const Indices& at) {
    Scalar value = load(product, at) * scale;
    if (bias) value = value + cast_to(dtype, load(bias, broadcast_indices(bias->shape, at)));
    Scalar seen = visible_score(in, at[2], at[3], q->shape[1], k->shape[1]);
    return seen ? Select::make(seen, value, lowest_of(dtype)) : value;
  });
  Ref<Buffer> top = kb.alloc("score_max", dtype, rows), sum = kb.alloc("score_norm", dtype, rows);
  auto in_row = [](const Indices& at, const Indices& r) { return Indices{at[0], at[1], at[2], r[0]}; };
  kb.reduce(top, "score_max", {k->shape[1]}, largest(dtype),
            [&](const Indices& at, const Indices& r) { return load(score, in_row(at, r)); });
  Ref<Buffer> weight = kb.alloc("weight", dtype, shape);
  kb.compute(weight, "weight", [&](const Indices& at) {
    Scalar value = intrinsic("exp", load(score, at) - softmax_shift(load(top, {at[0], at[1], at[2]})));
    Scalar seen = visible_score(in, at[2], at[3], q->shape[1], k->shape[1]);
    return seen ? Select::make(seen, value, constant(dtype, 0)) : value;
  });
  kb.reduce(sum, "score_norm", {k->shape[1]}, summed(dtype),
            [&](const Indices& at, const Indices& r) { return load(weight, in_row(at, r)); });
  Ref<Buffer> out = kb.alloc("weighted", dtype, y->shape);
  kb.reduce(out, "weighted", {k->shape[1]}, summed(dtype), [&](const Indices& at, const Indices& r) {
    return weight_factor(load(weight, {at[0], at[2], at[1], r[0]}), q->dtype) *
           cast_to(dtype, load(v, {at[0], r[0], at[2], at[3]}));
  });
  kb.compute(y, "T_attention", [&](const Indices& at) {
    // The softmax denominator is 0 when every key is hidden from the query; the result is then 0.
    Scalar total = load(sum, {at[0], at[2], at[1]}), value = divide(load(out, at), total);
    return cast_to(y->dtype, Select::make(equals(total, constant(dtype, 0)), constant(dtype, 0), value));
  });
  return std::move(kb).finish();
}

// Inference of nn.attention_var_len: sequences of different lengths are concatenated along one axis, `seqstart_*` holds
// the offset of each.
Type infer_var_len(const InferInput& in) {
  const auto& [q, k, v, dtype, device] = operands_of(in);
  for (size_t i = 3; i < in.args.size(); ++i) {
    DType t = in.tensor(i).dtype;
    if (i % 2 == 1) need_rank(in, i, 1);                                                       // C6
    need_dtype(in, t.is_void() || t == DType::int_(32), in.op.inputs()[i]->name, "int32", t);  // C5
  }
  if (!written(q) || !written(v)) return TensorType::make_unknown(dtype, 4, device);
  const std::vector<Scalar>&a = *written(q), &b = *written(v);
  return TensorType::make({a[0], a[1], a[2], b[3]}, dtype, device);
}

// Omitted `seqstart_k` and `max_seqlen_k` of nn.attention_var_len default to those of the queries.
void var_len_canonical(std::vector<Expr>& args, AttrMap&) {
  auto absent = [&](size_t i) {
    const auto* tuple = i < args.size() ? find<Tuple>(args[i]) : nullptr;
    return i >= args.size() || (tuple && tuple->fields.empty());
  };
  if (args.size() < 5) return;
  for (size_t i : {size_t{5}, size_t{6}}) {
    if (!absent(i)) continue;
    if (i < args.size())
      args[i] = args[i - 2];
    else if (i == args.size())
      args.push_back(args[i - 2]);
  }
}

std::vector<OpParam> with_mask(std::vector<OpParam> params) {
  params.push_back(float_param("scale", "what scores are multiplied by; None: 1 / sqrt(width)", AttrValue()));
  params.push_back(
      string_param("causal_mask", "None, \"TopLeft\" or \"BottomRight\": where the diagonal begins (C1)", AttrValue()));
  params.push_back(int_param("window_size", "how far back a query sees; None: all the way", AttrValue()));
  return params;
}

// Draws whether to set each of scale, causal mask and window size, and its value.
void draw_mask(Sampler& s, OpSample& sample) {
  static const std::vector<std::string> kMasks{"TopLeft", "BottomRight"};
  if (s.chance(50)) sample.attrs["scale"] = 0.5;
  if (s.chance(40)) sample.attrs["causal_mask"] = s.one_of(kMasks);
  if (s.chance(20)) sample.attrs["window_size"] = s.between(1, 3);
}

OpSample sample_attention(Sampler& s) {
  const int64_t batch = s.between(1, 2), heads = s.between(1, 2), width = s.between(1, 4), queries = s.between(1, 4),
                keys = s.between(1, 4), values = s.between(1, 3);
  Expr query = s.tensor({.dims = sizes({batch, queries, heads, width})});
  OpSample sample{{query, s.beside(query, sizes({batch, keys, heads, width})),
                   s.beside(query, sizes({batch, keys, heads, values}))}};
  if (s.chance(40)) sample.args.push_back(s.beside(query, sizes({s.chance(30) ? 1 : batch, heads, queries, keys})));
  draw_mask(s, sample);
  return sample;
}

// Returns `count` + 1 offsets: where each of `count` sequences of random lengths begins, then where the last ends.
std::vector<int32_t> sampled_starts(Sampler& s, size_t count) {
  std::vector<int32_t> out{0};
  for (size_t i = 0; i < count; ++i) out.push_back(out.back() + static_cast<int32_t>(s.between(1, 4)));
  return out;
}

Expr int32s(std::vector<int64_t> shape, const std::vector<int32_t>& values) {
  ArrayBuilder out(DType::int_(32), std::move(shape));
  std::ranges::copy(values, out.as<int32_t>().begin());
  return Constant::make(std::move(out).finish());
}

OpSample sample_sequences(Sampler& s) {
  const size_t count = 1 + s.below(3);
  const int64_t heads = s.between(1, 2), width = s.between(1, 4), values = s.between(1, 3);
  const std::vector<int32_t> queries = sampled_starts(s, count),
                             keys = s.chance(50) ? queries : sampled_starts(s, count);
  const bool is_shared = keys == queries && s.chance(50);
  Expr query = s.tensor({.dims = sizes({1, queries.back(), heads, width})});
  OpSample sample{{query, s.beside(query, sizes({1, keys.back(), heads, width})),
                   s.beside(query, sizes({1, keys.back(), heads, values}))}};
  for (const std::vector<int32_t>& bounds : {queries, keys}) {
    if (sample.args.size() > 3 && is_shared) break;
    sample.args.push_back(int32s({std::ssize(bounds)}, bounds));
    sample.args.push_back(int32s({}, {4}));
  }
  draw_mask(s, sample);
  return sample;
}

}  // namespace

Scalar weight_factor(const Scalar& weight, DType operands) {
  return operands.code == TypeCode::BFloat ? cast_to(weight->dtype, cast_to(operands, weight)) : weight;
}

Scalar softmax_shift(const Scalar& greatest) {
  const DType dtype = greatest->dtype;
  return Select::make(equals(greatest, lowest_of(dtype)), constant(dtype, 0), greatest);
}

Scalar visible_score(const InferInput& in, const Scalar& row, const Scalar& column, const Scalar& rows,
                     const Scalar& columns) {
  const std::string* mask = in.attr("causal_mask").find<std::string>();
  const int64_t* window = in.attr("window_size").find<int64_t>();
  if (!mask && !window) return nullptr;
  Scalar place = mask && *mask == "BottomRight" ? row + columns - rows : row, out;
  if (mask) out = at_least(place, column);
  if (window) {
    Scalar near = less(place - column, int_imm(*window));
    out = out ? both(out, near) : near;
  }
  return out;
}

void register_attention_ops(OpTable& ops) {
  std::vector<std::string> constraints{"C1: causal_mask is one of the three", "C2: all ranks are 4",
                                       "C3: all have one float dtype",
                                       "C4: batches, heads, sequences and widths agree"};
  OpParam query{"query", "tensor (batch, sequence, heads, width) (C2, C3, C4)"},
      key{"key", "tensor (batch, keys, heads, width) (C2, C3, C4)"},
      value{"value", "tensor (batch, keys, heads, width of values) (C2, C3, C4)"},
      bias = optional_param("bias", "tensor that broadcasts to (batch, heads, sequence, keys) (C5)");
  for (const char* name : {"nn.attention", "nn.attention_bias"}) {
    std::vector<std::string> all = constraints;
    all.push_back("C5: bias broadcasts to the scores");
    ops.add({.name = name,
             .summary = "softmax(query key^T * scale + bias) value, for each head; 0 where no key is left to see.",
             .params = with_mask({query, key, value, bias}),
             .constraints = std::move(all),
             .infer = infer_attention,
             .lower = lower_attention,
             .fuse = Fuse::Anchor,
             .precision = Precision::Half,
             .sample = sample_attention});
  }
  constraints.insert(constraints.end(), {"C5: starts and lengths are int32", "C6: starts have rank 1"});
  OpParam queries = query, keys = key, values = value;
  queries.name = "queries";
  keys.name = "keys";
  values.name = "values";
  ops.add({.name = "nn.attention_var_len",
           .summary = "Attention within each of several sequences that stand one behind the other.",
           .params = with_mask({queries,
                                keys,
                                values,
                                {"seqstart_q", "int32 vector: where each sequence of queries begins (C5, C6)"},
                                {"max_seqlen_q", "int32 tensor of one element: the longest sequence of queries (C5)"},
                                optional_param("seqstart_k", "the same of keys; None: as of queries (C5, C6)"),
                                optional_param("max_seqlen_k", "the same of keys; None: as of queries (C5)")}),
           .constraints = std::move(constraints),
           .infer = infer_var_len,
           .lower = lower_attention_var_len,
           .canonical = var_len_canonical,
           .precision = Precision::Half,
           .sample = sample_sequences});
  register_product_attention(ops);
}

}  // namespace sunmao
