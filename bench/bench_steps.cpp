// Measures what a step of the machine costs beside its kernels: runs of the tests' program `walk`, a loop whose steps
// start two functions and call two kernels each, against calls of these kernels alone.
//
//   bench_steps ARTIFACT      prints one line of JSON
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "io/mapped_file.h"
#include "runtime/session.h"

namespace {

using namespace sunmao;
using runtime::Session;

constexpr int kSteps = 100'000;
constexpr int kTurns = 50;

/// Returns the nanoseconds of the fastest of some turns.
double fastest(const std::function<void()>& run) {
  double best = 1e18;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

DLTensor view(float* data, std::vector<int64_t>& shape) {
  return {.data = data,
          .device = {kDLCPU, 0},
          .ndim = static_cast<int32_t>(shape.size()),
          .dtype = {kDLFloat, 32, 1},
          .shape = shape.data()};
}

[[noreturn]] void give_up(const io::Status& status) {
  fmt::print(stderr, "{}\n", status.to_string());
  std::exit(1);
}

/// Kernels 0 and 3 of the program: add a row, and whether the first element is positive.
double kernels_alone(const runtime::Model& model, float* row) {
  sunmao_context context = {.abi_version = SUNMAO_KERNEL_ABI, .num_threads = 1};
  float x[3] = {1, 0, 0}, y[3];
  bool flag = true;
  const int64_t dims[] = {1, 3};
  return fastest([&] {
    for (int i = 0; i < kSteps; ++i) {
      void* condition[] = {x, &flag};
      void* sum[] = {x, row, y};
      model.code()->kernels()[3](condition, dims, &context);
      if (flag) model.code()->kernels()[0](sum, dims, &context);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_steps ARTIFACT\n");
    return 2;
  }
  auto model = runtime::Model::load(std::string(argv[1]), {.threads = 1});
  if (!model.ok()) give_up(model.status());
  auto session = Session::create(*model);
  if (!session.ok()) give_up(session.status());
  size_t walk = 0;
  while (walk < (*model)->entries().size() && (*model)->entries()[walk].name != "walk") ++walk;
  float x[3] = {kSteps, 0, 0}, row[3] = {-1, 0, 0};
  std::vector<int64_t> matrix = {1, 3}, vector = {3};
  const DLTensor inputs[] = {view(x, matrix), view(row, vector)};
  const double loop = fastest([&] {
    DLTensor outputs[1] = {};
    if (const io::Status status = (*session)->run(walk, inputs, outputs); !status.ok()) give_up(status);
  });
  const double kernels = kernels_alone(**model, row);
  fmt::print("{{\"step_ns\": {:.1f}, \"kernels_ns\": {:.1f}, \"start_ns\": {:.1f}}}\n", loop / kSteps, kernels / kSteps,
             (loop - kernels) / kSteps / 2);
  return 0;
}
