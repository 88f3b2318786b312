#include "compiler/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "compiler/compile.h"
#include "compiler/dlpack_view.h"
#include "compiler/runtime_handles.h"
#include "loop/calls.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr int64_t kSteps = 20000, kVectors = 12;  // enough vectors to hide the latency of a multiply-add
constexpr int64_t kDotSteps = 1000;               // whose bytes level 1 holds
constexpr int64_t kRows = 4096, kColumns = 4096;  // 64 MiB, which is more than caches hold
constexpr int64_t kTasksPerThread = 8;
constexpr double kSeconds = 0.1;  // for each figure

constexpr const char* kMultiplyAdds = R"(
@I.ir_module
class Peak:
    @T.prim_func
    def multiply_adds(x: T.Buffer((2, {lanes}), "float32"), out: T.Buffer(({tasks}, {vectors}, {lanes}), "float32")):
        for task in T.parallel({tasks}):
            sums = T.alloc_buffer(({vectors}, {lanes}), "float32", scope="local")
            for v in T.unroll({vectors}):
                for j in T.vectorized({lanes}):
                    sums[v, j] = T.float32(1)
            for step in range({steps}):
                for v in T.unroll({vectors}):
                    for j in T.vectorized({lanes}):
                        sums[v, j] = sums[v, j] * x[0, j] + x[1, j]
            for v in T.unroll({vectors}):
                for j in T.vectorized({lanes}):
                    out[task, v, j] = sums[v, j]

    @R.function
    def main(x: R.Tensor((2, {lanes}), "float32")):
        return R.call_tir(Peak.multiply_adds, (x,), R.Tensor(({tasks}, {vectors}, {lanes}), "float32"))
)";

// A tile of sums in registers. The operands of a step are not those of the step before, so that a compiler cannot join
// the steps.
constexpr const char* kDots = R"(
@I.ir_module
class Peak:
    @T.prim_func
    def dots(x: T.Buffer(({steps}, {rows}, {parts}), "{x}"), w: T.Buffer(({columns}, {elements}), "{w}"), out: T.Buffer(({tasks}, {rows}, {columns}, {lanes}), "{sum}")):
        for task in T.parallel({tasks}):
            sums = T.alloc_buffer(({rows}, {columns}, {lanes}), "{sum}", scope="local")
            for r in T.unroll({rows}):
                for c in T.unroll({columns}):
                    for j in T.vectorized({lanes}):
                        sums[r, c, j] = T.{sum}(0)
            for turn in range({turns}):
                for step in range({steps}):
                    for r in T.unroll({rows}):
                        for c in T.unroll({columns}):
                            sums[r, c, 0:{lanes}] = T.{dot}({row}, w[c, 0:{elements}], sums[r, c, 0:{lanes}])
            for r in T.unroll({rows}):
                for c in T.unroll({columns}):
                    for j in T.vectorized({lanes}):
                        out[task, r, c, j] = sums[r, c, j]

    @R.function
    def main(x: R.Tensor(({steps}, {rows}, {parts}), "{x}"), w: R.Tensor(({columns}, {elements}), "{w}")):
        return R.call_tir(Peak.dots, (x, w), R.Tensor(({tasks}, {rows}, {columns}, {lanes}), "{sum}"))
)";

// What a step of dot products reads and adds.
struct DotKind {
  Instruction instruction;
  DType x, w;
  const char* sum;
  const char* dot;
  const char* row;  // the operand that is the same for all lanes
  int64_t parts;    // the elements of that operand
  int64_t products;
};
const DotKind kOfBytes{Instruction::DotBytes, DType::uint(8), DType::int_(8), "int32", "dp4a",
                       "x[step, r, 0:4]",     kBytesOfDot,    kBytesOfDot};
const DotKind kOfPairs{Instruction::DotPairs,
                       DType::uint(32),
                       DType::uint(32),
                       "float32",
                       "dp2a",
                       "T.Broadcast(x[step, r, 0], {lanes})",
                       1,
                       kHalvesOfWord};

constexpr const char* kRowSums = R"(
@I.ir_module
class Peak:
    @R.function
    def main(x: R.Tensor(({rows}, {columns}), "float32")):
        return R.sum(x, axis=[1])
)";

Array floats(std::vector<int64_t> shape) {
  ArrayBuilder out(DType::float_(32), std::move(shape));
  std::ranges::fill(out.as<float>(), 0.5f);
  return std::move(out).finish();
}

// Bytes of small numbers; as pairs of bfloat16, small positive numbers as well.
Array some_bytes(DType dtype, std::vector<int64_t> shape) {
  ArrayBuilder out(dtype, std::move(shape));
  uint8_t next = 0;
  for (uint8_t& byte : out.as<uint8_t>()) byte = static_cast<uint8_t>(0x30 + (next++ & 7));
  return std::move(out).finish();
}

// Returns the seconds of the fastest run of the script's function on these arrays, of all that fit into kSeconds.
double fastest_run(const std::string& script, const std::vector<Array>& inputs, uint32_t threads) {
  const io::Bytes artifact = compile({parse_module(Source::make("peak", script), builtin_ops()), {}}, {}).artifact;
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.threads = threads;
  const ModelHandle model = load_model(artifact, options);
  const SessionHandle session = create_session(model);
  std::vector<std::vector<int64_t>> shapes(inputs.size());
  std::vector<DLTensor> views;
  for (size_t i = 0; i < inputs.size(); ++i) views.push_back(dlpack_view(inputs[i], shapes[i]));
  double best = std::numeric_limits<double>::infinity();
  for (double spent = 0; spent < kSeconds;) {
    DLTensor output{};
    sunmao_error error;
    const auto begin = std::chrono::steady_clock::now();
    if (sunmao_run(session.get(), nullptr, views.data(), views.size(), &output, 1, &error)) fail_with(error);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::min(best, took);
    spent += took;
  }
  return best;
}

// Returns the operations a second of dot products of a kind.
double dots_a_second(const DotKind& kind, const Isa& isa, int64_t tasks, uint32_t threads) {
  using fmt::arg;
  // As many sums as hide the latency of a step, and as few as leave registers for the operands.
  const int64_t rows = isa.has(kind.instruction) ? 6 : 4, columns = 2, lanes = isa.lanes(32);
  const int64_t elements = lanes * kind.parts;
  const std::string script =
      fmt::format(kDots, arg("steps", kDotSteps), arg("turns", kSteps / kDotSteps), arg("rows", rows),
                  arg("columns", columns), arg("tasks", tasks), arg("lanes", lanes), arg("parts", kind.parts),
                  arg("elements", elements), arg("x", kind.x.str()), arg("w", kind.w.str()), arg("sum", kind.sum),
                  arg("dot", kind.dot), arg("row", fmt::format(fmt::runtime(kind.row), arg("lanes", lanes))));
  const std::vector<Array> operands{some_bytes(kind.x, {kDotSteps, rows, kind.parts}),
                                    some_bytes(kind.w, {columns, elements})};
  const int64_t products = kSteps * rows * columns * lanes * kind.products * tasks;
  return static_cast<double>(2 * products) / fastest_run(script, operands, threads);
}

}  // namespace

MachinePeak measure_peak(uint32_t threads) {
  const Target host = Target::host();
  const int64_t lanes = host.isa.lanes(32), tasks = kTasksPerThread * threads;
  const int64_t cache_size = host.machine.l2_bytes * threads;
  using fmt::arg;
  const double adding = fastest_run(fmt::format(kMultiplyAdds, arg("lanes", lanes), arg("tasks", tasks),
                                                arg("vectors", kVectors), arg("steps", kSteps)),
                                    {floats({2, lanes})}, threads);
  const auto reading = [threads](int64_t rows) {
    const double seconds = fastest_run(fmt::format(kRowSums, arg("rows", rows), arg("columns", kColumns)),
                                       {floats({rows, kColumns})}, threads);
    return static_cast<double>(rows * kColumns) * sizeof(float) / seconds;
  };
  return {.flops = static_cast<double>(2 * kSteps * kVectors * lanes * tasks) / adding,
          .int8_flops = dots_a_second(kOfBytes, host.isa, tasks, threads),
          .bfloat16_flops = dots_a_second(kOfPairs, host.isa, tasks, threads),
          .bytes = reading(kRows),
          .cache_bytes = reading(std::max<int64_t>(cache_size / 2 / (kColumns * sizeof(float)), 1)),
          .cache_size = cache_size};
}

}  // namespace sunmao
