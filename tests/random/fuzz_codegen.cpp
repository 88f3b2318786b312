// Compares compiled code with the evaluator on random modules:
//   fuzz_codegen COUNT [FILE]
// runs the modules of seeds up to COUNT, each in a process of its own, so that a crash is a fault like any other. It
// stores in FILE how far it is and how many faults there were, and goes on from there.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/random/codegen_fault.h"
#include "tests/random/progress.h"

namespace {

constexpr unsigned kSecondsOfModule = 120;
constexpr uint64_t kMostFaults = 20;

/// Returns whether the module of a seed has a fault, of which the child tells.
bool has_fault(uint64_t seed) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsOfModule);
    const std::string fault = sunmao::find_codegen_fault(seed);
    if (!fault.empty()) std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
    std::fflush(nullptr);
    _exit(fault.empty() ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    std::fprintf(stderr, "no process can be started\n");
    std::exit(2);
  }
  if (WIFSIGNALED(status))
    std::fprintf(stderr, "seed %llu: signal %d\n", static_cast<unsigned long long>(seed), WTERMSIG(status));
  return status != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: fuzz_codegen COUNT [FILE]\n");
    return 2;
  }
  const uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const sunmao::Progress progress(argc == 3 ? argv[2] : "");
  const std::vector<uint64_t> before = progress.read();
  uint64_t done = before.size() == 2 ? before[0] : 0, faults = before.size() == 2 ? before[1] : 0;
  for (; done < count && faults < kMostFaults; ++done) {
    faults += has_fault(done);
    if (done % 20 == 19) progress.write({done + 1, faults});
  }
  progress.write({done, faults});
  std::printf("%llu modules, %llu faults\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(faults));
  return faults == 0 ? 0 : 1;
}
