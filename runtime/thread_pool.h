// The one pool of threads of the process. Threads are made when first needed, spin for a moment between loops, then
// park. A loop that finds the pool busy (another session's, or one around it) runs in place.
//
// After fork() the child has no threads and makes its own when it needs them; it may run models as long as no run was
// under way in the thread that forked. Threads end when the last ThreadPoolUser is gone.
#pragma once
#include <cstdint>

#include "abi/kernel.h"
#include "io/status.h"

namespace sunmao::runtime {

inline constexpr uint32_t kMaxThreads = 256;

/// Keeps the pool alive; everything that runs models holds one.
class ThreadPoolUser {
 public:
  ThreadPoolUser();
  ~ThreadPoolUser();
  ThreadPoolUser(const ThreadPoolUser&) = delete;
  ThreadPoolUser& operator=(const ThreadPoolUser&) = delete;
};

/// Threads that one loop may use: what was set, else SUNMAO_NUM_THREADS, else the processors that the process may use.
uint32_t thread_count();
/// E0920 when the variable would be asked and does not hold a number from 1 to kMaxThreads.
io::Status check_thread_count();
/// 0 goes back to the default.
void set_thread_count(uint32_t count);

/// One parallel loop. `context` is handed to every body.
struct ParallelLoop {
  sunmao_parallel_body body;
  void* closure;
  int64_t count;
  sunmao_context* context;
};

/// Runs the loop on up to `threads` threads, the caller's among them. Returns 0 or one non-zero result of a body; after
/// one, bodies not yet begun are left out. Needs a ThreadPoolUser.
int run_parallel(const ParallelLoop& loop, uint32_t threads);

/// The same in the caller's thread alone.
int run_in_place(const ParallelLoop& loop);

}  // namespace sunmao::runtime
