// Loop IR of a matrix product on packed weights, as the op's lowering builds it.
#pragma once
#include "loop/builder.h"

namespace sunmao::testing {

struct MatmulCase {
  Scalar m;
  int64_t n, k;
  int nr;
  Scalar depth = {};         // a symbol in place of k
  bool has_epilogue = true;  // out = max(c + bias[j] + residual[i, j], 0)
};

inline Ref<PrimFunc> packed_matmul(const MatmulCase& c) {
  const DType f32 = DType::float_(32);
  const Scalar n = int_imm(c.n), k = c.depth ? c.depth : int_imm(c.k), nr = int_imm(c.nr),
               no = int_imm((c.n + c.nr - 1) / c.nr);
  KernelBuilder b("matmul");
  Ref<Buffer> x = b.input("x", TensorType::make({c.m, k}, f32));
  Ref<Buffer> w = b.input("w", TensorType::make({no, k, nr}, f32));
  Ref<Buffer> bias, residual;
  if (c.has_epilogue) {
    bias = b.input("bias", TensorType::make({n}, f32));
    residual = b.input("residual", TensorType::make({c.m, n}, f32));
  }
  Ref<Buffer> out = b.output("out", TensorType::make({c.m, n}, f32));
  Ref<Buffer> sums = c.has_epilogue ? b.alloc("c", f32, {c.m, n}) : out;
  KernelBuilder::ReductionBlock block{
      .name = "packed_matmul",
      .spatial = {c.m, no, nr},
      .reduced = {k},
      .out = sums,
      .target = [&](const Indices& s) { return Indices{s[0], s[1] * nr + s[2]}; },
      .predicate = {},
      .reduction = {constant(f32, 0), [](const Scalar& a, const Scalar& v) { return a + v; }},
      .value = [&](const Indices& s, const Indices& r) { return load(x, {s[0], r[0]}) * load(w, {s[1], r[0], s[2]}); },
      .annotations = AttrMap{{"anchor", "packed_matmul"}}};
  if (c.n % c.nr != 0)
    block.predicate = [&](const Indices& loops) { return Binary::make(BinaryOp::Lt, loops[1] * nr + loops[2], n); };
  b.reduce_block(block);
  if (c.has_epilogue)
    b.compute(out, "epilogue", [&](const Indices& i) {
      return max(load(sums, i) + load(bias, {i[1]}) + load(residual, i), constant(f32, 0));
    });
  return std::move(b).finish();
}

}  // namespace sunmao::testing
