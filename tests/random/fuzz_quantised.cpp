// Compares compiled quantised graphs with real arithmetic:
//   fuzz_quantised COUNT [FOLDER] [JOBS]
// runs the random graphs of seeds up to COUNT, each in a process of its own and JOBS of them at a time. A fault is one
// line with its seed; the graph's script is written to FOLDER, which also stores how far it is, or to the folder for
// temporary files.
//   fuzz_quantised =SEED
// prints the graph of one seed and runs it in this process.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/random/progress.h"
#include "tests/random/quantised_fault.h"
#include "tests/random/seed_processes.h"

namespace sunmao {
namespace {

constexpr unsigned kSecondsOfGraph = 60;  // of processor time
constexpr uint64_t kMostFaultyGraphs = 50, kBatchOfGraphs = 100;

/// What a run has found, as numbers that can be stored.
struct QuantisedTally {
  uint64_t graphs = 0, faults = 0, symbolic = 0, differing = 0;
  uint64_t in_integers = 0, in_float32 = 0, bytes = 0, off_by_one = 0;
  std::array<uint64_t, kQuantiserStyles.size()> styles = {};

  std::vector<uint64_t*> numbers() {
    std::vector<uint64_t*> out{&graphs, &faults, &symbolic, &differing, &in_integers, &in_float32, &bytes, &off_by_one};
    for (uint64_t& n : styles) out.push_back(&n);
    return out;
  }
  void add(const QuantisedRun& run) {
    ++graphs;
    ++styles[run.style];
    faults += run.is_fault;
    symbolic += run.is_symbolic;
    differing += run.differs_by_target;
    in_integers += run.in_integers;
    in_float32 += run.in_float32;
    bytes += run.bytes;
    off_by_one += run.off_by_one;
  }
  /// True when there are no faults, and of enough graphs the pass took most products, and one byte in a thousand at
  /// most is a step from the nearest.
  bool is_sound() const {
    constexpr uint64_t kEnough = 50;
    return faults == 0 && (graphs < kEnough || (in_integers > in_float32 && 1000 * off_by_one <= bytes));
  }
  std::string text() const {
    std::string of_styles;
    for (size_t i = 0; i < styles.size(); ++i) of_styles += fmt::format(", {} {}", kQuantiserStyles[i], styles[i]);
    return fmt::format(
        "{} graphs ({} with symbols{}): {} products in integers, {} in float32; {} bytes compared, {} of them one step "
        "from the nearest; bits of targets differ in {}; {} faults\n",
        graphs, symbolic, of_styles, in_integers, in_float32, bytes, off_by_one, differing, faults);
  }
};

void run_graph(uint64_t seed, const std::filesystem::path& folder, QuantisedRun& run) {
  const std::filesystem::path file = folder / fmt::format("quantised_{}.py", seed);
  std::ofstream(file) << quantised_text(seed);
  const std::string fault = quantised_fault(seed, run);
  if (fault.empty())
    std::filesystem::remove(file);
  else
    fmt::print(stderr, "seed {}, {} of {}\n", seed, fault, file.string());
}

int run_one(uint64_t seed) {
  QuantisedRun run;
  fmt::print("{}\n", quantised_text(seed));
  const std::string fault = quantised_fault(seed, run);
  fmt::print("# {} products in integers, {} in float32; {}\n", run.in_integers, run.in_float32,
             fault.empty() ? "no fault" : fault);
  return run.is_fault;
}

int run_all(uint64_t count, const std::string& folder, size_t jobs) {
  const std::filesystem::path to =
      folder.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(folder);
  const Progress progress(folder.empty() ? "" : (to / "fuzz_quantised.count").string());
  QuantisedTally tally;
  const std::vector<uint64_t*> numbers = tally.numbers();
  if (const std::vector<uint64_t> stored = progress.read(); stored.size() == numbers.size())
    for (size_t i = 0; i < numbers.size(); ++i) *numbers[i] = stored[i];
  auto* runs = shared_memory<QuantisedRun>(kBatchOfGraphs);
  while (tally.graphs < count && tally.faults < kMostFaultyGraphs) {
    const uint64_t begin = tally.graphs, end = std::min(count, begin + kBatchOfGraphs);
    std::fill_n(runs, kBatchOfGraphs, QuantisedRun{});
    run_in_processes(begin, end, jobs, kSecondsOfGraph,
                     [&](uint64_t seed) { run_graph(seed, to, runs[seed - begin]); });
    for (uint64_t seed = begin; seed < end; ++seed) tally.add(runs[seed - begin]);
    std::vector<uint64_t> values;
    for (const uint64_t* n : numbers) values.push_back(*n);
    progress.write(values);
  }
  fmt::print("{}", tally.text());
  return tally.is_sound() ? 0 : 1;
}

}  // namespace
}  // namespace sunmao

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    fmt::print(stderr, "usage: fuzz_quantised COUNT [FOLDER] [JOBS] | fuzz_quantised =SEED\n");
    return 2;
  }
  try {
    if (argv[1][0] == '=') return sunmao::run_one(std::strtoull(argv[1] + 1, nullptr, 10));
    const size_t jobs = argc == 4 ? std::max<size_t>(1, std::strtoull(argv[3], nullptr, 10)) : 1;
    return sunmao::run_all(std::strtoull(argv[1], nullptr, 10), argc > 2 ? argv[2] : "", jobs);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
