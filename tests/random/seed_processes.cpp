#include "tests/random/seed_processes.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

namespace sunmao {
namespace {

constexpr unsigned kMostWait = 15;  // times the processor time, for one that waits for ever

/// Waits for one of the processes, which are named by their seeds, and tells of one that a signal ended.
void wait_for_one(std::map<pid_t, uint64_t>& running) {
  int status = 0;
  const pid_t ended = waitpid(-1, &status, 0);
  const auto at = running.find(ended);
  if (at == running.end()) return;
  if (WIFSIGNALED(status))
    std::fprintf(stderr, "seed %llu: signal %d\n", static_cast<unsigned long long>(at->second), WTERMSIG(status));
  running.erase(at);
}

}  // namespace

void run_in_processes(uint64_t begin, uint64_t end, size_t jobs, unsigned cpu_seconds,
                      const std::function<void(uint64_t seed)>& run) {
  std::map<pid_t, uint64_t> running;
  for (uint64_t seed = begin; seed < end; ++seed) {
    if (running.size() == jobs) wait_for_one(running);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{cpu_seconds, cpu_seconds};
      setrlimit(RLIMIT_CPU, &limit);
      alarm(kMostWait * cpu_seconds);
      run(seed);
      std::fflush(nullptr);
      _exit(0);
    }
    if (child < 0) {
      std::fprintf(stderr, "no process can be started\n");
      std::exit(2);
    }
    running.emplace(child, seed);
  }
  while (!running.empty()) wait_for_one(running);
}

}  // namespace sunmao
