#include "compiler/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "compiler/compile.h"
#include "compiler/runtime_handles.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr int64_t kSteps = 20000, kVectors = 12;  // enough vectors to hide the latency of a multiply-add
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

constexpr const char* kRowSums = R"(
@I.ir_module
class Peak:
    @R.function
    def main(x: R.Tensor(({rows}, {columns}), "float32")):
        return R.sum(x, axis=[1])
)";

// Returns the seconds of the fastest run of the script's function on an array of this shape, of all that fit into
// kSeconds.
double fastest_run(const std::string& script, std::vector<int64_t> shape, uint32_t threads) {
  const io::Bytes artifact = compile({parse_module(Source::make("peak", script), builtin_ops()), {}}, {}).artifact;
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.threads = threads;
  const ModelHandle model = load_model(artifact, options);
  const SessionHandle session = create_session(model);
  ArrayBuilder x(DType::float_(32), shape);
  std::ranges::fill(x.as<float>(), 0.5f);
  DLTensor input{.data = x.data(), .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape.data()};
  double best = std::numeric_limits<double>::infinity();
  for (double spent = 0; spent < kSeconds;) {
    DLTensor output{};
    sunmao_error error;
    const auto begin = std::chrono::steady_clock::now();
    if (sunmao_run(session.get(), nullptr, &input, 1, &output, 1, &error)) fail_with(error);
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
                                    {2, lanes}, threads);
  const auto reading = [threads](int64_t rows) {
    const double seconds =
        fastest_run(fmt::format(kRowSums, arg("rows", rows), arg("columns", kColumns)), {rows, kColumns}, threads);
    return static_cast<double>(rows * kColumns) * sizeof(float) / seconds;
  };
  return {.flops = static_cast<double>(2 * kSteps * kVectors * lanes * tasks) / adding,
          .bytes = reading(kRows),
          .cache_bytes = reading(std::max<int64_t>(cache_size / 2 / (kColumns * sizeof(float)), 1)),
          .cache_size = cache_size};
}

}  // namespace sunmao
