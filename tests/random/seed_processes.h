// Runs the case of each seed in a process of its own, so that a crash is a fault like any other.
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace sunmao {

/// Runs `run` for the seeds of [begin, end), `jobs` at a time, and tells of processes that a signal ends. A process has
/// `cpu_seconds` of processor time, and many times that in all.
void run_in_processes(uint64_t begin, uint64_t end, size_t jobs, unsigned cpu_seconds,
                      const std::function<void(uint64_t seed)>& run);

/// Zeroed memory that these processes share with the one that starts them; it lives as long as the program.
template <class T>
T* shared_memory(size_t count) {
  void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "no memory can be shared\n");
    std::exit(2);
  }
  return static_cast<T*>(memory);
}

}  // namespace sunmao
