// Measures what the machine can do: peaks of float32, of bytes and of bfloat16, and memory bandwidth, by 1, 2, ...
// threads.
//
//   bench_machine [--target TEXT] [THREADS ...]     prints one line of JSON per thread count
#include <fmt/format.h>
#include <sunmao/runtime.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench_kernel.h"
#include "compiler/machine_peak.h"

namespace {

using namespace sunmao;
using namespace sunmao::bench;

constexpr int64_t kFloats = int64_t{1} << 24;  // 64 MiB an array: larger than caches
constexpr int kMaxThreads = 1024;
constexpr double kSeconds = 0.25;  // spent on each figure

typedef float Vector __attribute__((vector_size(32)));
constexpr int64_t kLanes = 8;

// Returns the best time of `work(thread)` on all threads at once, of as many runs as fit into kSeconds.
double best_seconds(int threads, const std::function<void(int)>& work) {
  double best = 1e9, spent = 0;
  while (spent < kSeconds) {
    std::atomic<int> waiting{threads};
    std::vector<double> begins(static_cast<size_t>(threads)), ends(begins);
    const auto now = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        begins[static_cast<size_t>(t)] = now();
        work(t);
        ends[static_cast<size_t>(t)] = now();
      });
    for (std::thread& worker : workers) worker.join();
    const double took = *std::ranges::max_element(ends) - *std::ranges::min_element(begins);
    best = std::min(best, took);
    spent += took;
  }
  return best;
}

Vector* slice(AlignedFloats& floats, int threads, int t) {
  return static_cast<Vector*>(floats.data()) + kFloats / kLanes / threads * t;
}

double peak_flops(int threads, const Target& target) {
  constexpr int kTimes = 3;
  std::vector<std::unique_ptr<FmaPeak>> peaks;
  for (int t = 0; t < threads; ++t) peaks.push_back(std::make_unique<FmaPeak>(target));
  const double seconds = best_seconds(threads, [&](int t) {
    for (int i = 0; i < kTimes; ++i) peaks[static_cast<size_t>(t)]->run();
  });
  return threads * kTimes * peaks.front()->flops() / seconds;
}

// What kernels for this machine can do.
MachinePeak by_kernels(int threads) {
  sunmao_set_threads(static_cast<uint32_t>(threads));
  return measure_peak(sunmao_get_threads());
}

// Bytes a second of a = b + 3 c: two arrays read, one written (its read before the write is not counted).
double triad_bytes(int threads, AlignedFloats& a, AlignedFloats& b, AlignedFloats& c) {
  const int64_t count = kFloats / kLanes / threads;
  const double seconds = best_seconds(threads, [&](int t) {
    Vector *x = slice(a, threads, t), *y = slice(b, threads, t), *z = slice(c, threads, t);
    for (int64_t i = 0; i < count; ++i) x[i] = y[i] + 3.0f * z[i];
  });
  return 3.0 * static_cast<double>(count) * threads * sizeof(Vector) / seconds;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<int> counts;
  Target target = Target::host();
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--target" && i + 1 < argc) {
      target = Target::parse(argv[++i]);
      continue;
    }
    int count = 0;
    const char* end = argv[i] + std::strlen(argv[i]);
    if (std::from_chars(argv[i], end, count).ptr != end || count < 1 || count > kMaxThreads) {
      fmt::print(stderr, "bench_machine: `{}` is no number of threads from 1 to {}\n", argv[i], kMaxThreads);
      return 2;
    }
    counts.push_back(count);
  }
  if (counts.empty()) counts = {1};
  AlignedFloats a(kFloats, 1), b(kFloats, 2), c(kFloats, 3);
  for (int threads : counts) {
    const MachinePeak peak = by_kernels(threads);
    fmt::print(
        "{{\"threads\":{},\"isa\":\"{}\",\"fma_gflops\":{:.2f},\"int8_gflops\":{:.2f},\"bfloat16_gflops\":{:.2f},"
        "\"read_gb_s\":{:.2f},\"triad_gb_s\":{:.2f}}}\n",
        threads, target.isa.name, peak_flops(threads, target) / 1e9, peak.int8_flops / 1e9, peak.bfloat16_flops / 1e9,
        peak.bytes / 1e9, triad_bytes(threads, a, b, c) / 1e9);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_machine: {}\n", error.what());
  return 2;
}
