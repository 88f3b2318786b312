// The thread pool of the process. Threads start on first use, spin for a bounded time between loops, then park. A loop
// that finds the pool in use (by another session or an enclosing loop) runs in the caller's thread.
//
// After fork() the child has no threads and starts its own on demand; it may run models if the forking thread was not
// inside a run. Threads end when the last ThreadPoolUser is destroyed.
#pragma once
#include <cstdint>

#include "abi/kernel.h"
#include "io/status.h"

namespace sunmao::runtime {

inline constexpr uint32_t kMaxThreads = 256;

/// RAII: keeps the pool alive; each Model holds one.
class ThreadPoolUser {
 public:
  ThreadPoolUser();
  ~ThreadPoolUser();
  ThreadPoolUser(const ThreadPoolUser&) = delete;
  ThreadPoolUser& operator=(const ThreadPoolUser&) = delete;
};

/// Returns the most threads for one loop: the set count, else SUNMAO_NUM_THREADS, else the number of processors
/// available to the process, at most kMaxThreads.
uint32_t thread_count();
/// Returns the number of processors available to the process by its affinity and its CPU quota, from 1 to kMaxThreads.
uint32_t usable_processors();
/// Fails (E0920) when SUNMAO_NUM_THREADS would be used and is neither empty nor a number from 1 to kMaxThreads.
io::Status check_thread_count();
/// Sets the count, limited to kMaxThreads; 0 restores the default.
void set_thread_count(uint32_t count);

/// One parallel loop. Each thread passes the body a copy of `context` with its own number and its own part of the
/// scratch memory.
struct ParallelLoop {
  sunmao_range_body body;
  void* closure;
  int64_t count;
  const sunmao_context* context;
  uint64_t scratch_stride = 0;  // bytes between the parts of two threads
};

/// Runs the loop on up to `threads` threads, of which the caller's is number 0. Each thread has a contiguous share of
/// the iterations, the same one in each loop of this count; a thread that is done takes over ends of others' shares.
/// Returns 0 or one of the non-zero results, after which ranges that have not started may be skipped. Needs a
/// ThreadPoolUser.
int run_parallel(const ParallelLoop& loop, uint32_t threads);

/// Runs the loop in the caller's thread, as one range.
int run_in_place(const ParallelLoop& loop);

}  // namespace sunmao::runtime
