// The thread pool of the process. Threads start on first use, spin briefly between loops, then park. A loop that finds
// the pool in use (by another session or an enclosing loop) runs in the caller's thread.
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
/// Fails (E0920) when SUNMAO_NUM_THREADS would be used and is neither empty nor a number from 1 to kMaxThreads.
io::Status check_thread_count();
/// Sets the count, limited to kMaxThreads; 0 restores the default.
void set_thread_count(uint32_t count);

/// One parallel loop. `context` is passed to every body.
struct ParallelLoop {
  sunmao_parallel_body body;
  void* closure;
  int64_t count;
  sunmao_context* context;
};

/// Runs the loop on up to `threads` threads, including the caller's. Returns 0 or one of the non-zero results, after
/// which bodies that have not started may be skipped. Needs a ThreadPoolUser.
int run_parallel(const ParallelLoop& loop, uint32_t threads);

/// Runs the loop in the caller's thread.
int run_in_place(const ParallelLoop& loop);

}  // namespace sunmao::runtime
