// Compares compiled code with the evaluator on random modules:
//   fuzz_codegen COUNT [FILE]
// runs the modules of seeds up to COUNT, each in a process of its own, so that a crash is a fault like any other. It
// stores in FILE how far it is and how many faults there were, and goes on from there.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/random/codegen_fault.h"
#include "tests/random/constructs.h"
#include "tests/random/progress.h"

namespace {

constexpr unsigned kSecondsOfModule = 120;
constexpr uint64_t kMostFaults = 20;

// What a child says in its exit status, above the constructs of its module.
constexpr unsigned kFault = 64, kRefused = 128;

/// What was counted: modules, faults, modules that bytecode cannot express, modules of each construct.
struct Tally {
  uint64_t done = 0, faults = 0, refused = 0;
  std::array<uint64_t, sunmao::kConstructs.size()> constructs = {};

  explicit Tally(const std::vector<uint64_t>& stored) {
    if (stored.size() != 3 + constructs.size()) return;
    done = stored[0];
    faults = stored[1];
    refused = stored[2];
    std::copy(stored.begin() + 3, stored.end(), constructs.begin());
  }
  std::vector<uint64_t> numbers() const {
    std::vector<uint64_t> out = {done, faults, refused};
    out.insert(out.end(), constructs.begin(), constructs.end());
    return out;
  }
  void add(unsigned status) {
    ++done;
    faults += (status & kFault) != 0;
    refused += (status & kRefused) != 0;
    for (size_t i = 0; i < constructs.size(); ++i) constructs[i] += status >> i & 1;
  }
};

/// Runs the module of a seed; the child tells of a fault.
unsigned run_seed(uint64_t seed) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsOfModule);
    const sunmao::CodegenRun run = sunmao::run_codegen(seed);
    const bool is_wrong = !run.fault.empty();
    if (is_wrong) std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), run.fault.c_str());
    std::fflush(nullptr);
    _exit(static_cast<int>(run.constructs | (is_wrong ? kFault : 0) | (run.is_refused ? kRefused : 0)));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    std::fprintf(stderr, "no process can be started\n");
    std::exit(2);
  }
  if (!WIFSIGNALED(status)) return static_cast<unsigned>(WEXITSTATUS(status));
  std::fprintf(stderr, "seed %llu: signal %d\n", static_cast<unsigned long long>(seed), WTERMSIG(status));
  return kFault;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: fuzz_codegen COUNT [FILE]\n");
    return 2;
  }
  const uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const sunmao::Progress progress(argc == 3 ? argv[2] : "");
  Tally counts(progress.read());
  while (counts.done < count && counts.faults < kMostFaults) {
    counts.add(run_seed(counts.done));
    if (counts.done % 20 == 0) progress.write(counts.numbers());
  }
  progress.write(counts.numbers());
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("modules with");
  for (size_t i = 0; i < counts.constructs.size(); ++i)
    std::printf("%s %s: %llu", i ? "," : "", sunmao::kConstructs[i], number(counts.constructs[i]));
  std::printf("\nof the rarest: %llu\nrefused: %llu\n%llu modules, %llu faults\n",
              number(*std::min_element(counts.constructs.begin(), counts.constructs.end())), number(counts.refused),
              number(counts.done), number(counts.faults));
  return counts.faults == 0 ? 0 : 1;
}
