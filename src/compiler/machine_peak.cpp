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

// A tile of sums in registers. The bytes of a step are not those of the step before, so that a compiler cannot join the
// steps.
constexpr const char* kByteDots = R"(
@I.ir_module
class Peak:
    @T.prim_func
    def byte_dots(x: T.Buffer(({steps}, {rows}, 4), "uint8"), w: T.Buffer(({columns}, {bytes}), "int8"), out: T.Buffer(({tasks}, {rows}, {columns}, {lanes}), "int32")):
        for task in T.parallel({tasks}):
            sums = T.alloc_buffer(({rows}, {columns}, {lanes}), "int32", scope="local")
            for r in T.unroll({rows}):
                for c in T.unroll({columns}):
                    for j in T.vectorized({lanes}):
                        sums[r, c, j] = 0
            for turn in range({turns}):
                for step in range({steps}):
                    for r in T.unroll({rows}):
                        for c in T.unroll({columns}):
                            sums[r, c, 0:{lanes}] = T.dp4a(x[step, r, 0:4], w[c, 0:{bytes}], sums[r, c, 0:{lanes}])
            for r in T.unroll({rows}):
                for c in T.unroll({columns}):
                    for j in T.vectorized({lanes}):
                        out[task, r, c, j] = sums[r, c, j]

    @R.function
    def main(x: R.Tensor(({steps}, {rows}, 4), "uint8"), w: R.Tensor(({columns}, {bytes}), "int8")):
        return R.call_tir(Peak.byte_dots, (x, w), R.Tensor(({tasks}, {rows}, {columns}, {lanes}), "int32"))
)";

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

Array some_bytes(DType dtype, std::vector<int64_t> shape) {
  ArrayBuilder out(dtype, std::move(shape));
  uint8_t next = 0;
  for (uint8_t& byte : out.as<uint8_t>()) byte = next++ & 0x7f;
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

}  // namespace

MachinePeak measure_peak(uint32_t threads) {
  const Target host = Target::host();
  const int64_t lanes = host.isa.lanes(32), tasks = kTasksPerThread * threads;
  const int64_t cache_size = host.machine.l2_bytes * threads;
  using fmt::arg;
  const double adding = fastest_run(fmt::format(kMultiplyAdds, arg("lanes", lanes), arg("tasks", tasks),
                                                arg("vectors", kVectors), arg("steps", kSteps)),
                                    {floats({2, lanes})}, threads);
  // As many sums as hide the latency of a step, and as few as leave registers for the operands.
  const int64_t tile_rows = host.isa.has(Instruction::DotBytes) ? 6 : 4, tile_columns = 2, bytes = kBytesOfDot * lanes;
  const double adding_bytes = fastest_run(
      fmt::format(kByteDots, arg("lanes", lanes), arg("bytes", bytes), arg("tasks", tasks), arg("rows", tile_rows),
                  arg("columns", tile_columns), arg("steps", kDotSteps), arg("turns", kSteps / kDotSteps)),
      {some_bytes(DType::uint(8), {kDotSteps, tile_rows, kBytesOfDot}),
       some_bytes(DType::int_(8), {tile_columns, bytes})},
      threads);
  const auto reading = [threads](int64_t rows) {
    const double seconds = fastest_run(fmt::format(kRowSums, arg("rows", rows), arg("columns", kColumns)),
                                       {floats({rows, kColumns})}, threads);
    return static_cast<double>(rows * kColumns) * sizeof(float) / seconds;
  };
  return {.flops = static_cast<double>(2 * kSteps * kVectors * lanes * tasks) / adding,
          .int8_flops = static_cast<double>(2 * kSteps * tile_rows * tile_columns * bytes * tasks) / adding_bytes,
          .bytes = reading(kRows),
          .cache_bytes = reading(std::max<int64_t>(cache_size / 2 / (kColumns * sizeof(float)), 1)),
          .cache_size = cache_size};
}

}  // namespace sunmao
