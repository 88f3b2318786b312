// nn.product_attention: matmul(softmax(matmul(query, key) + bias), value) as one op, on operands as the products have
// them. The pass recognize-attention makes it.
#include <fmt/format.h>

#include "ops/attention.h"
#include "ops/broadcast.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

using Dims = std::vector<Scalar>;

// Checks that argument `i` broadcasts to `wanted` without widening it.
void need_broadcast(const InferInput& in, size_t i, const Dims& wanted) {
  const TensorType& x = in.tensor(i);
  if (!x.dims()) return;
  const Dims& dims = *x.dims();
  for (size_t d = 0; d < dims.size(); ++d) {
    const Scalar& size = wanted[wanted.size() - dims.size() + d];
    if (!is_one(dims[d]) && !in.can_agree(dims[d], size))
      in.error("E0309", fmt::format("dimension {} of `{}` is {}, not {}", d, in.op.inputs()[i]->name, describe(dims[d]),
                                    describe(size)));
  }
}

DType result_dtype(const InferInput& in, DType operands) {
  const DType given = in.dtype_attr("out_dtype");
  need_dtype(in, given.is_void() || given.is_float(), "out_dtype", "float", given);  // C3
  return given.is_void() ? operands : given;
}

void check_scores(const InferInput& in, const TensorType& q, const Dims& scores) {
  for (size_t i : {size_t{3}, size_t{4}}) {
    if (!in.has(i)) continue;
    const TensorType& x = in.tensor(i);
    if (i == 3) {
      if (x.dtype.is_void() || x.dtype != in.dtype_attr("out_dtype")) common_dtype(in, q, x);  // C3
    } else {
      need_dtype(in, x.dtype.is_void() || x.dtype == DType::bool_(), "mask", "bool", x.dtype);  // C6
    }
    if (x.rank > q.rank)  // C5
      in.error("E0307", fmt::format("`{}` has rank {}, more than the {} of the scores", in.op.inputs()[i]->name, x.rank,
                                    q.rank));
    if (!scores.empty()) need_broadcast(in, i, scores);  // C5
  }
}

Type infer_product_attention(const InferInput& in) {
  const TensorType &q = in.tensor(0), &k = in.tensor(1), &v = in.tensor(2);
  const DType dtype = result_dtype(in, common_dtype(in, q, k));  // C3
  common_dtype(in, q, v);
  need_float(in, q);
  Ref<VDevice> device = shared_vdevice(in, {&q, &k, &v});
  if (q.rank == kUnknownRank) return TensorType::make_unknown(dtype, kUnknownRank, device);
  if (q.rank < 2)  // C1
    in.error("E0307", fmt::format("`query` must have rank 2 or more, got {}", q.rank));
  need_rank(in, 1, q.rank);  // C2
  need_rank(in, 2, q.rank);
  if (!q.dims() || !k.dims() || !v.dims()) {
    check_scores(in, q, {});
    return TensorType::make_unknown(dtype, q.rank, device);
  }
  const size_t rows = q.dims()->size() - 2, last = rows + 1;
  const Dims &a = *q.dims(), &b = *k.dims(), &c = *v.dims();
  Dims batch(a.begin(), a.end() - 2), of_keys = batch, of_values = batch, scores = batch;
  of_keys.insert(of_keys.end(), {a[last], b[last]});
  of_values.insert(of_values.end(), {b[last], c[last]});
  scores.insert(scores.end(), {a[rows], b[last]});
  need_equal_sizes(in, "widths of queries and keys", a[last], b[rows]);  // C4
  need_equal_sizes(in, "numbers of keys and values", b[last], c[rows]);
  need_broadcast(in, 1, of_keys);
  need_broadcast(in, 2, of_values);
  check_scores(in, q, scores);
  if (!written(q) || !written(v)) return TensorType::make_unknown(dtype, q.rank, device);
  Dims out = *written(q);
  out.back() = written(v)->back();
  return TensorType::make(std::move(out), dtype, device);
}

Ref<BaseFunc> lower_product_attention(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder kb("attention");
  Ref<Buffer> q = kb.input("query", call.args[0]->type), k = kb.input("key", call.args[1]->type),
              v = kb.input("value", call.args[2]->type),
              bias = in.has(3) ? kb.input("bias", call.args[3]->type) : nullptr,
              mask = in.has(4) ? kb.input("mask", call.args[4]->type) : nullptr,
              y = kb.output("T_attention", call.type);
  const DType dtype = accumulator(q->dtype);
  const Scalar &width = q->shape.back(), &keys = k->shape.back(), zero = constant(dtype, 0),
               hidden = in.attr("hidden").is_none() ? lowest_of(dtype) : constant(dtype, in.float_attr("hidden"));
  Dims shape = y->shape, rows(y->shape.begin(), y->shape.end() - 1);
  shape.back() = keys;
  // An element of an operand at the leading indices of `at` and two own ones.
  auto element = [&](const Ref<Buffer>& x, Indices at, const Scalar& row, const Scalar& column) {
    at.resize(x->shape.size() - 2);
    at.insert(at.end(), {row, column});
    return cast_to(dtype, load(x, broadcast_indices(x->shape, at)));
  };
  Ref<Buffer> product = kb.alloc("score_sum", dtype, shape), score = product;
  kb.reduce(product, "score_sum", {width}, summed(dtype), [&](const Indices& at, const Indices& r) {
    return element(q, at, at[rows.size() - 1], r[0]) * element(k, at, r[0], at.back());
  });
  if (bias || mask) {
    score = kb.alloc("score", dtype, shape);
    kb.compute(score, "score", [&](const Indices& at) {
      Scalar value = load(product, at);
      if (bias) value = value + cast_to(dtype, load(bias, broadcast_indices(bias->shape, at)));
      if (!mask) return value;
      return Select::make(load(mask, broadcast_indices(mask->shape, at)), value, hidden);
    });
  }
  Ref<Buffer> top = kb.alloc("score_max", dtype, rows), sum = kb.alloc("score_norm", dtype, rows);
  kb.reduce(top, "score_max", {keys}, largest(dtype),
            [&](const Indices& at, const Indices& r) { return load(score, insert_index(at, at.size(), r[0])); });
  Ref<Buffer> weight = kb.alloc("weight", dtype, shape);
  kb.compute(weight, "weight", [&](const Indices& at) {
    return intrinsic("exp", load(score, at) - softmax_shift(load(top, without_index(at, at.size() - 1))));
  });
  kb.reduce(sum, "score_norm", {keys}, summed(dtype),
            [&](const Indices& at, const Indices& r) { return load(weight, insert_index(at, at.size(), r[0])); });
  Ref<Buffer> out = kb.alloc("weighted", dtype, y->shape);
  kb.reduce(out, "weighted", {keys}, summed(dtype), [&](const Indices& at, const Indices& r) {
    return weight_factor(load(weight, with_index(at, at.size() - 1, r[0])), v->dtype) * element(v, at, r[0], at.back());
  });
  kb.compute(y, "T_attention", [&](const Indices& at) {
    const Scalar total = load(sum, without_index(at, at.size() - 1)), weighted = load(out, at);
    const int64_t* count = find_int(keys);
    // The total is 0 where all scores are -inf: weights are NaN there. It is NaN where a score is NaN or +inf.
    Scalar value = divide(weighted, total);
    if (in.bool_attr("nan_as_zero")) {
      value = Select::make(Binary::make(BinaryOp::Ne, total, total), zero, value);
      value = Select::make(equals(total, zero), zero, value);
    } else if (!count || *count == 0) {
      value = Select::make(equals(keys, IntImm::make(keys->dtype, 0)), zero, value);
    }
    return cast_to(y->dtype, value);
  });
  return std::move(kb).finish();
}

OpSample sample_product_attention(Sampler& s) {
  const int64_t width = s.between(1, 4), rows = s.between(1, 4), keys = s.between(1, 4), columns = s.between(1, 3);
  Dims batch = s.dims(0, 2), repeated = batch;
  if (!repeated.empty() && s.chance(20)) repeated[0] = int_imm(1);
  const auto with = [](Dims lead, int64_t a, int64_t b) {
    lead.insert(lead.end(), {int_imm(a), int_imm(b)});
    return lead;
  };
  Expr query = s.tensor({.dims = with(batch, rows, width)});
  OpSample sample{{query, s.beside(query, with(repeated, width, keys)),
                   s.beside(query, with(s.chance(50) ? batch : repeated, keys, columns))}};
  const bool is_masked = s.chance(40), is_biased = s.chance(40);
  if (is_biased) sample.args.push_back(s.beside(query, with({}, s.chance(30) ? 1 : rows, keys)));
  if (is_masked && !is_biased) sample.args.push_back(Tuple::make({}));
  if (is_masked)
    sample.args.push_back(
        s.tensor({.kind = TensorWish::Kind::Boolean, .dims = with(batch, rows, keys), .dtype = DType::bool_()}));
  if (s.chance(30)) sample.attrs["hidden"] = -2.0;
  if (s.chance(40)) sample.attrs["nan_as_zero"] = true;
  return sample;
}

}  // namespace

void register_product_attention(OpTable& ops) {
  ops.add(
      {.name = "nn.product_attention",
       .summary = "matmul(softmax(matmul(query, key) + bias), value).",
       .params = {{"query", "tensor (…, queries, width) of rank 2 or more (C1, C3)"},
                  {"key", "tensor (…, width, keys) (C2, C3, C4)"},
                  {"value", "tensor (…, keys, width of values) (C2, C3, C4)"},
                  optional_param("bias", "tensor that broadcasts to the scores (…, queries, keys) (C3, C5)"),
                  optional_param("mask", "bool tensor that broadcasts to the scores: which stay (C5, C6)"),
                  float_param("hidden", "the score where the mask is False; None: -inf", AttrValue()),
                  bool_param("nan_as_zero", "whether a row whose weights are NaN gives 0", false),
                  dtype_param("out_dtype", "the dtype of the result, None: the operands'; bias may have it too (C3)",
                              AttrValue())},
       .constraints = {"C1: the rank of query is at least 2", "C2: key and value have the rank of query",
                       "C3: all have one float dtype, or bias has out_dtype, which is a float dtype",
                       "C4: widths and numbers of keys agree; the leading axes broadcast to those of query",
                       "C5: bias and mask broadcast to the scores", "C6: mask is bool"},
       .infer = infer_product_attention,
       .lower = lower_product_attention,
       .fuse = Fuse::Anchor,
       .precision = Precision::Half,
       .sample = sample_product_attention});
}

}  // namespace sunmao
