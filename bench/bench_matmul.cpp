// Measures single-threaded matrix products on packed weights as a share of the machine's FMA peak, which is measured in
// the same run, interleaved. `--json` prints a single line of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench_kernel.h"
#include "passes/loop/matmul_tile.h"

namespace {

using namespace sunmao;
using namespace sunmao::bench;

struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {{512, 512, 512}, {256, 256, 256},  {128, 128, 128},   {1024, 1024, 1024}, {1, 1024, 1024},
                             {8, 1024, 1024}, {32, 1024, 1024}, {128, 1024, 1024}, {128, 3072, 768},   {197, 768, 768}};
constexpr int kRounds = 21;

// Builds a kernel for out = max(x * w + bias, 0) in the form that op lowerings emit.
Ref<PrimFunc> matmul(const Shape& s, int64_t nr) {
  const int64_t panels = (s.n + nr - 1) / nr;
  KernelBuilder b("matmul");
  Ref<Buffer> x = b.input("x", tensor({s.m, s.k})), w = b.input("w", tensor({panels, s.k, nr}));
  Ref<Buffer> bias = b.input("bias", tensor({s.n})), out = b.output("out", tensor({s.m, s.n}));
  Ref<Buffer> c = b.alloc("c", kFloat, {int_imm(s.m), int_imm(s.n)});
  KernelBuilder::ReductionBlock block{
      .name = "packed_matmul",
      .spatial = {int_imm(s.m), int_imm(panels), int_imm(nr)},
      .reduced = {int_imm(s.k)},
      .out = c,
      .target = [&](const Indices& i) { return Indices{i[0], i[1] * int_imm(nr) + i[2]}; },
      .predicate = {},
      .reduction = {constant(kFloat, 0), [](const Scalar& a, const Scalar& v) { return a + v; }},
      .value = [&](const Indices& i, const Indices& k) { return load(x, {i[0], k[0]}) * load(w, {i[1], k[0], i[2]}); },
      .annotations = AttrMap{{"anchor", "packed_matmul"}}};
  if (s.n % nr != 0)
    block.predicate = [&](const Indices& i) {
      return Binary::make(BinaryOp::Lt, i[1] * int_imm(nr) + i[2], int_imm(s.n));
    };
  b.reduce_block(block);
  b.compute(out, "relu", [&](const Indices& i) { return max(load(c, i) + load(bias, {i[1]}), constant(kFloat, 0)); });
  return std::move(b).finish();
}

class Case {
 public:
  Case(const Shape& shape, int64_t nr, const Target& target)
      : shape_(shape), kernel_(compile(matmul(shape, nr), target)), x_(shape.m * shape.k, 1),
        w_((shape.n + nr - 1) / nr * nr * shape.k, 2), bias_(shape.n, 3), out_(shape.m * shape.n, 4) {}
  double flops() const { return 2.0 * static_cast<double>(shape_.m * shape_.n * shape_.k); }
  const Shape& shape() const { return shape_; }
  size_t bytes() const { return kernel_.bytes; }
  void run() {
    void* buffers[] = {x_.data(), w_.data(), bias_.data(), out_.data()};
    sunmao_context context{SUNMAO_KERNEL_ABI, 1, run_in_place, nullptr, nullptr};
    const int64_t dims[1] = {};
    SUNMAO_CHECK(kernel_.code->kernels()[0](buffers, dims, &context) == 0);
  }
  double best_seconds = 1e9;

 private:
  Shape shape_;
  Loaded kernel_;
  AlignedFloats x_, w_, bias_, out_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool as_json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const Target target = Target::host();
  const MatmulTile tile = matmul_tile(target, kFloat);
  FmaPeak peak(target);
  std::vector<std::unique_ptr<Case>> cases;
  for (const Shape& s : kShapes) cases.push_back(std::make_unique<Case>(s, tile.nr, target));

  double peak_seconds = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    peak_seconds = std::min(peak_seconds, seconds_of([&] { peak.run(); }, 3));
    for (auto& c : cases) {
      const int times = std::clamp(static_cast<int>(4e7 / c->flops()), 1, 200);
      c->best_seconds = std::min(c->best_seconds, seconds_of([&] { c->run(); }, times));
    }
  }
  const double peak_flops = peak.flops() / peak_seconds;

  std::string json =
      fmt::format("{{\"target\":\"{}\",\"peak_gflops\":{:.2f},\"matmul\":[", target.isa, peak_flops / 1e9);
  if (!as_json)
    fmt::print("{}, {} x {} tile, one thread; FMA peak {:.1f} GFLOP/s\n\n", target.isa, tile.mr, tile.nr,
               peak_flops / 1e9);
  if (!as_json)
    fmt::print("{:>6} {:>6} {:>6} {:>12} {:>10} {:>8} {:>8}\n", "m", "n", "k", "us", "GFLOP/s", "% peak", "bytes");
  for (const auto& c : cases) {
    const Shape& s = c->shape();
    const double rate = c->flops() / c->best_seconds;
    if (!as_json)
      fmt::print("{:>6} {:>6} {:>6} {:>12.2f} {:>10.1f} {:>8.1f} {:>8}\n", s.m, s.n, s.k, c->best_seconds * 1e6,
                 rate / 1e9, 100 * rate / peak_flops, c->bytes());
    json += fmt::format("{}{{\"m\":{},\"n\":{},\"k\":{},\"gflops\":{:.2f},\"percent_of_peak\":{:.2f}}}",
                        c == cases.front() ? "" : ",", s.m, s.n, s.k, rate / 1e9, 100 * rate / peak_flops);
  }
  const double share = 100 * cases.front()->flops() / cases.front()->best_seconds / peak_flops;
  if (as_json) fmt::print("{}]}}\n", json);
  fmt::print("{}packed matmul 512^3: {:.1f} % of FMA peak\n", as_json ? "" : "\n", share);
  return 0;
}
