// Compares compiled code with the evaluator on random modules:
//   fuzz_codegen COUNT [FILE] [JOBS]
// runs the modules of seeds up to COUNT, each in a process of its own, so that a crash is a fault like any other, and
// JOBS of them at a time. It stores in FILE how far it is and what it found, and goes on from there.
//   fuzz_codegen =SEED
// runs the module of one seed in this process. With --mock behind these, code is for an instruction set that no
// schedule was written for (mock_isa.h).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tests/random/codegen_tally.h"
#include "tests/random/mock_isa.h"
#include "tests/random/progress.h"
#include "tests/random/seed_processes.h"

namespace {

constexpr unsigned kSecondsOfModule = 120;  // of processor time
constexpr uint64_t kMostFaults = 100, kTogether = 200;

using sunmao::CodegenVerdict;

/// Runs the module of a seed; what it prints is about a fault.
void run_seed(uint64_t seed, const std::string& target, CodegenVerdict& verdict) {
  const sunmao::CodegenRun run = sunmao::run_codegen(seed, target);
  if (!run.fault.empty())
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), run.fault.c_str());
  std::fflush(nullptr);
  verdict = {.is_fault = !run.fault.empty(),
             .is_large = run.is_large,
             .pardons = run.pardons,
             .omissions = run.omissions,
             .constructs = run.constructs};
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_mock = argc > 2 && std::string_view(argv[argc - 1]) == "--mock";
  const std::string target = is_mock ? sunmao::kMockIsa : "";
  argc -= is_mock;
  std::optional<sunmao::AddedIsa> mock;
  if (is_mock) mock.emplace(sunmao::mock_isa());
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: fuzz_codegen COUNT [FILE] [JOBS] [--mock] | fuzz_codegen =SEED [--mock]\n");
    return 2;
  }
  if (argv[1][0] == '=') {
    CodegenVerdict verdict;
    run_seed(std::strtoull(argv[1] + 1, nullptr, 10), target, verdict);
    return verdict.is_fault;
  }
  const uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const size_t jobs = argc == 4 ? std::max<size_t>(1, std::strtoull(argv[3], nullptr, 10)) : 1;
  auto* verdicts = sunmao::shared_memory<CodegenVerdict>(kTogether);
  const sunmao::Progress progress(argc >= 3 ? argv[2] : "");
  sunmao::CodegenTally tally(progress.read());
  while (tally.seeds() < count && tally.faults() < kMostFaults) {
    const uint64_t begin = tally.seeds(), end = std::min(count, begin + kTogether);
    std::fill_n(verdicts, kTogether, CodegenVerdict{});
    sunmao::run_in_processes(begin, end, jobs, kSecondsOfModule,
                             [&](uint64_t seed) { run_seed(seed, target, verdicts[seed - begin]); });
    for (uint64_t seed = begin; seed < end; ++seed) tally.add(verdicts[seed - begin]);
    progress.write(tally.numbers());
  }
  std::fputs(tally.text().c_str(), stdout);
  return tally.faults() == 0 && tally.has_few_pardons() ? 0 : 1;
}
