// Tables of `sunmao bench`.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sunmao::cli {

struct BenchRow {
  std::vector<std::pair<std::string, int64_t>> sizes;  // of symbols
  uint32_t threads = 0;                                // that were asked for; 0: as many as the process may use
  uint32_t threads_used = 0;
  std::vector<double> seconds;  // of each run
};

struct BenchMachine {
  std::string build, processor, isa;
};

struct BenchNumbers {
  double mean = 0, deviation = 0, median = 0, fastest = 0;  // seconds
};
BenchNumbers numbers_of(std::vector<double> seconds);

/// Returns a table: `text` for people, `md`, `csv` or `json`, whose rows have the machine too.
std::string bench_text(const std::vector<BenchRow>& rows, const BenchMachine& machine, const std::string& format);

}  // namespace sunmao::cli
