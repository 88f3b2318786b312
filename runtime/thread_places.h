// ThreadPlaces: the processors on which the threads of a pool run. Schedulers put a thread that wakes beside the one
// that woke it and may leave both there for seconds, where they wait for each other.
#pragma once
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sunmao::runtime {

template <uint32_t kThreads>
class ThreadPlaces {
 public:
  /// Records where the calling thread, which is number `thread`, runs.
  void record(uint32_t thread) { set(thread, ::sched_getcpu()); }

  /// Records it, and moves the thread away when one of a lower number has the same processor.
  void separate(uint32_t thread) {
    const int here = ::sched_getcpu();
    const auto is_here = [here](const std::atomic<int>& cpu) { return cpu.load(std::memory_order_relaxed) == here; };
    if (here >= 0 && std::any_of(cpus_, cpus_ + thread, is_here)) move(thread);
    record(thread);
  }

 private:
  // Each thread reads what lower ones write, which is seldom new.
  void set(uint32_t thread, int cpu) {
    if (cpus_[thread].load(std::memory_order_relaxed) != cpu) cpus_[thread].store(cpu, std::memory_order_relaxed);
  }

  /// Its affinity is afterwards what it was.
  void move(uint32_t thread) {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
    cpu_set_t others = allowed;
    for (uint32_t i = 0; i < thread; ++i)
      if (const int cpu = cpus_[i].load(std::memory_order_relaxed); cpu >= 0 && cpu < CPU_SETSIZE)
        CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) > 0 && ::sched_setaffinity(0, sizeof(others), &others) == 0)
      ::sched_setaffinity(0, sizeof(allowed), &allowed);
  }

  std::atomic<int> cpus_[kThreads] = {};
};

}  // namespace sunmao::runtime
