// Loop IR of a matrix product on a weight in panels, as choose-weight-layouts leaves it.
#pragma once
#include "loop/builder.h"

namespace sunmao::testing {

inline constexpr int64_t kPanel = 32;  // columns

struct MatmulCase {
  Scalar m;
  int64_t n, k;
  Scalar depth = {};         // a symbol in place of k
  bool has_epilogue = true;  // out = max(c + bias[j] + residual[i, j], 0)
};

inline Ref<PrimFunc> panel_matmul(const MatmulCase& c) {
  const DType f32 = DType::float_(32);
  const Scalar n = int_imm(c.n), k = c.depth ? c.depth : int_imm(c.k), width = int_imm(kPanel);
  KernelBuilder b("matmul");
  Ref<Buffer> x = b.input("x", TensorType::make({c.m, k}, f32));
  Ref<Buffer> w = b.input("w", TensorType::make({n * k}, f32));
  Ref<Buffer> bias, residual;
  if (c.has_epilogue) {
    bias = b.input("bias", TensorType::make({n}, f32));
    residual = b.input("residual", TensorType::make({c.m, n}, f32));
  }
  Ref<Buffer> out = b.output("out", TensorType::make({c.m, n}, f32));
  Ref<Buffer> sums = c.has_epilogue ? b.alloc("c", f32, {c.m, n}) : out;
  const KernelBuilder::Reduction add{constant(f32, 0), [](const Scalar& a, const Scalar& v) { return a + v; }};
  b.reduce(sums, "matmul", {k}, add, [&](const Indices& s, const Indices& r) {
    const Scalar panel = floor_div(s[1], width), count = min(width, n - panel * width);
    const Scalar place = panel * (width * k) + r[0] * count + floor_mod(s[1], width);
    return load(x, {s[0], r[0]}) * load(w, {place});
  });
  if (c.has_epilogue)
    b.compute(out, "epilogue", [&](const Indices& i) {
      return max(load(sums, i) + load(bias, {i[1]}) + load(residual, i), constant(f32, 0));
    });
  return std::move(b).finish();
}

}  // namespace sunmao::testing
