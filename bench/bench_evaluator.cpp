// Measures how many scalar operations of loop IR the evaluator executes per second, on a matrix product: each iteration
// of the innermost loop has three loads, a product, a sum and a store.
#include <chrono>
#include <cstdio>

#include "eval/evaluator.h"
#include "ir/builder.h"
#include "ops/ops.h"

int main() {
  using namespace sunmao;
  constexpr int64_t kSize = 192, kPerStep = 6;
  const Type type = TensorType::make({int_imm(kSize), int_imm(kSize)}, DType::float_(32));
  const Ref<Var> a = Var::make("a", type), b = Var::make("b", type);
  BlockBuilder builder;
  const Expr product = builder.emit_output(Call::make(builtin_ops().get("matmul"), {a, b}));
  const Module module = Module().with_function("main", builder.finish_function({a, b}, product));
  const Array ones = Array::from_floats({kSize, kSize}, std::vector<float>(kSize * kSize, 1));
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    Evaluator(module).call("main", {ones, ones});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(kSize * kSize * kSize * kPerStep) / took.count());
  }
  std::printf("{\"million_scalar_operations_per_second\": %.1f}\n", best / 1e6);
  return 0;
}
