#include "runtime/thread_pool.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>

namespace sunmao::runtime {
namespace {

// Spin iterations before a waiting thread parks or yields: about 50 microseconds, longer than the gap between two
// kernels.
constexpr int kSpins = 1000;
// Chunks per thread: enough to balance threads of unequal speed, few enough for negligible overhead.
constexpr int64_t kChunksPerThread = 8;

/// The state of a running loop, shared by its threads.
struct Job {
  ParallelLoop loop = {};
  int64_t chunk = 1;
  std::atomic<int64_t> next{0};
  std::atomic<int> status{0};

  void work() {
    for (;;) {
      const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= loop.count) return;
      const int64_t end = std::min(begin + chunk, loop.count);
      for (int64_t i = begin; i < end; ++i) {
        if (status.load(std::memory_order_relaxed) != 0) return;
        const int result = loop.body(loop.closure, i, loop.context);
        if (result != 0) status.store(result, std::memory_order_relaxed);
      }
    }
  }
};

class Pool {
 public:
  /// Runs the loop on the pool; false, with nothing run, when the pool is in use.
  bool try_run(const ParallelLoop& loop, uint32_t helpers, int& status) {
    if (is_taken_.exchange(true, std::memory_order_acquire)) return false;
    helpers = std::min(helpers, start_workers(helpers));
    job_.loop = loop;
    job_.chunk = std::max<int64_t>(1, loop.count / (kChunksPerThread * (helpers + 1)));
    job_.next.store(0, std::memory_order_relaxed);
    job_.status.store(0, std::memory_order_relaxed);
    open(helpers);
    job_.work();
    close();
    status = job_.status.load(std::memory_order_relaxed);
    is_taken_.store(false, std::memory_order_release);
    return true;
  }

  /// Ends all workers; no loop may be running.
  void stop() {
    {
      std::lock_guard<std::mutex> lock(parking_);
      gate_.fetch_or(kStopping);
    }
    wake_.notify_all();
    for (uint32_t i = 0; i < started_; ++i) ::pthread_join(threads_[i], nullptr);
  }

 private:
  // The gate holds the number of workers inside the job and of free places. A worker enters with one compare-and-swap;
  // a job closes by removing the free places, so that it never waits for sleeping workers.
  static constexpr uint32_t kInside = 1;  // 10 bits
  static constexpr uint32_t kInsideMask = 0x3ff;
  static constexpr uint32_t kPlace = 1 << 10;  // 10 bits
  static constexpr uint32_t kPlaceMask = 0x3ff << 10;
  static constexpr uint32_t kStopping = 1 << 20;  // 1 bit
  static_assert(kMaxThreads <= 0x3ff);

  void open(uint32_t helpers) {
    if (helpers == 0) return;
    gate_.store(kPlace * helpers);
    if (sleepers_.load() == 0) return;
    {
      std::lock_guard<std::mutex> lock(parking_);
    }
    wake_.notify_all();
  }

  void close() {
    gate_.fetch_and(~kPlaceMask);
    for (int spins = 0; gate_.load(std::memory_order_acquire) & kInsideMask; ++spins)
      spins < kSpins ? _mm_pause() : void(::sched_yield());
  }

  /// Starts workers until there are at least `wanted`; returns their number, which is lower only when the system
  /// refuses.
  uint32_t start_workers(uint32_t wanted) {
    if (started_ >= wanted) return started_;
    // Workers block all signals, which are for the threads of the program.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; started_ < wanted; ++started_)
      if (::pthread_create(&threads_[started_], nullptr, &Pool::run_worker, this) != 0) break;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started_;
  }

  static void* run_worker(void* pool) {
    static_cast<Pool*>(pool)->worker();
    return nullptr;
  }

  void worker() {
    for (;;) {
      uint32_t gate = wait_for_work();
      if (gate & kStopping) return;
      while ((gate & kPlaceMask) && !gate_.compare_exchange_weak(gate, gate - kPlace + kInside)) {
      }
      if (!(gate & kPlaceMask)) continue;
      job_.work();
      // Removes all free places, since the loop has no chunks left or has failed.
      gate_.fetch_and(~kPlaceMask);
      gate_.fetch_sub(kInside, std::memory_order_release);
    }
  }

  static bool has_work(uint32_t gate) { return (gate & (kPlaceMask | kStopping)) != 0; }

  uint32_t wait_for_work() {
    for (int spins = 0; spins < kSpins; ++spins) {
      const uint32_t gate = gate_.load(std::memory_order_acquire);
      if (has_work(gate)) return gate;
      _mm_pause();
    }
    std::unique_lock<std::mutex> lock(parking_);
    sleepers_.fetch_add(1);
    uint32_t gate = gate_.load();
    for (; !has_work(gate); gate = gate_.load()) wake_.wait(lock);
    sleepers_.fetch_sub(1);
    return gate;
  }

  std::atomic<bool> is_taken_{false};  // a thread runs a loop on the pool
  Job job_;
  std::atomic<uint32_t> gate_{0};
  std::atomic<uint32_t> sleepers_{0};
  std::mutex parking_;
  std::condition_variable wake_;
  uint32_t started_ = 0;
  pthread_t threads_[kMaxThreads] = {};
};

// `g_pool` and `g_users` are modified under `g_lock`, or in a child right after its fork; a user may read `g_pool`
// without it, as the pool lives as long as its users.
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
std::atomic<Pool*> g_pool{nullptr};
uint32_t g_users = 0;

/// After a fork the child has a copy of the pool in an arbitrary state and without its threads, so it is abandoned.
void after_fork_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  g_lock = fresh;
  g_pool.store(g_users ? new (std::nothrow) Pool : nullptr);
}

void watch_forks() { ::pthread_atfork(nullptr, nullptr, after_fork_in_child); }

}  // namespace

ThreadPoolUser::ThreadPoolUser() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ::pthread_once(&once, watch_forks);
  ::pthread_mutex_lock(&g_lock);
  if (g_users++ == 0) g_pool.store(new (std::nothrow) Pool);
  ::pthread_mutex_unlock(&g_lock);
}

ThreadPoolUser::~ThreadPoolUser() {
  ::pthread_mutex_lock(&g_lock);
  Pool* last = --g_users == 0 ? g_pool.exchange(nullptr) : nullptr;
  ::pthread_mutex_unlock(&g_lock);
  if (!last) return;
  last->stop();
  delete last;
}

int run_in_place(const ParallelLoop& loop) {
  for (int64_t i = 0; i < loop.count; ++i)
    if (const int status = loop.body(loop.closure, i, loop.context); status != 0) return status;
  return 0;
}

int run_parallel(const ParallelLoop& loop, uint32_t threads) {
  if (loop.count <= 1 || threads <= 1) return run_in_place(loop);
  const uint32_t useful = static_cast<uint32_t>(std::min<int64_t>(loop.count, std::min(threads, kMaxThreads)));
  Pool* pool = g_pool.load();
  int status = 0;
  if (pool && pool->try_run(loop, useful - 1, status)) return status;
  return run_in_place(loop);
}

}  // namespace sunmao::runtime
