// Kernels compiled and called in this process, and the kernel that measures the processor's FMA peak.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "abi/kernel.h"
#include "codegen/kernels.h"
#include "loop/builder.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/lower_kernel.h"
#include "runtime/code_image.h"
#include "support/diagnostic.h"

namespace sunmao::bench {

inline const DType kFloat = DType::float_(32);

inline Type tensor(std::vector<int64_t> dims) {
  std::vector<Scalar> shape;
  for (int64_t d : dims) shape.push_back(int_imm(d));
  return TensorType::make(std::move(shape), kFloat);
}

struct Loaded {
  std::shared_ptr<const runtime::CodeImage> code;
  size_t bytes = 0;
};

inline Loaded compile(const Ref<PrimFunc>& func, const Target& target) {
  const std::vector<Kernel> kernels{{"kernel", lower_kernel(func, target)}};
  const CodeImage image = compile_kernels(kernels, target);
  auto loaded = runtime::CodeImage::load(image.elf, 1, {});
  SUNMAO_CHECK(loaded.ok(), "{}", loaded.status().to_string());
  return {loaded.take(), image.elf.size()};
}

class AlignedFloats {
 public:
  AlignedFloats(int64_t count, unsigned seed) : builder_(kFloat, {count}) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& v : builder_.as<float>()) v = uniform(random);
  }
  void* data() { return builder_.data(); }

 private:
  ArrayBuilder builder_;
};

inline double seconds_of(const std::function<void()>& work, int times) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times;
}

constexpr int64_t kPeakSteps = 20000;
constexpr int kPeakVectors = 12;

// Builds a loop of independent FMAs on registers: `out` holds the accumulators after kPeakSteps steps of acc = acc * a
// + b.
inline Ref<PrimFunc> peak_loop(int lanes) {
  KernelBuilder b("peak");
  Ref<Buffer> in = b.input("in", tensor({2, lanes})), out = b.output("out", tensor({kPeakVectors, lanes}));
  Ref<PrimFunc> shell = std::move(b).finish();
  Ref<Buffer> acc = Buffer::make("acc", kFloat, {int_imm(kPeakVectors), int_imm(lanes)}, {.scope = "local"});
  auto each = [&](const std::function<Stmt(const Scalar&, const Scalar&)>& body) {
    return unrolled_loop("v", kPeakVectors, [&](const Scalar& v) {
      return vector_loop("j", lanes, [&](const Scalar& j) { return body(v, j); });
    });
  };
  Stmt steps = serial_loop("step", int_imm(kPeakSteps), [&](const Scalar&) {
    return each([&](const Scalar& v, const Scalar& j) {
      return BufferStore::make(acc, load(acc, {v, j}) * load(in, {int_imm(0), j}) + load(in, {int_imm(1), j}), {v, j});
    });
  });
  Stmt clear =
      each([&](const Scalar& v, const Scalar& j) { return BufferStore::make(acc, constant(kFloat, 1), {v, j}); });
  Stmt store =
      each([&](const Scalar& v, const Scalar& j) { return BufferStore::make(out, load(acc, {v, j}), {v, j}); });
  return shell->with_body(AllocBuffer::make(acc, Seq::make({clear, steps, store})));
}

/// Runs the peak loop on registers of its own; threads have one each.
class FmaPeak {
 public:
  explicit FmaPeak(const Target& target)
      : lanes_(target.isa.lanes(32)), kernel_(compile(peak_loop(lanes_), target)), in_(2 * lanes_, 5),
        sums_(kPeakVectors * lanes_, 6) {}
  double flops() const { return 2.0 * kPeakSteps * kPeakVectors * lanes_; }
  void run() {
    void* buffers[] = {in_.data(), sums_.data()};
    sunmao_context context{};
    context.abi_version = SUNMAO_KERNEL_ABI;
    context.num_threads = 1;
    const int64_t dims[1] = {};
    SUNMAO_CHECK(kernel_.code->kernels()[0](buffers, dims, &context) == 0);
  }

 private:
  int lanes_;
  Loaded kernel_;
  AlignedFloats in_, sums_;
};

}  // namespace sunmao::bench
