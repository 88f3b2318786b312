#include "runtime/thread_pool.h"

#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <new>

#include "runtime/loop_times.h"
#include "runtime/thread_places.h"
#include "runtime/work_shares.h"

namespace sunmao::runtime {
namespace {

// How long a thread that waits spins before it parks or yields: longer than the gap between two kernels.
constexpr std::chrono::microseconds kSpinTime{50};
constexpr int kPausesPerLook = 16;  // between two looks at the clock
// Work of one thread that pays for waking others, which costs the caller about 10 microseconds and them about 50.
constexpr std::chrono::microseconds kWorthWaking{80};

/// Waits until `is_done` holds; returns false when it does not within kSpinTime.
template <class Condition>
bool spin_until(const Condition& is_done) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (is_done()) return true;
      _mm_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// The state of a running loop, shared by its threads.
struct Job {
  ParallelLoop loop = {};
  WorkShares<kMaxThreads> shares;
  std::atomic<int> status{0};

  void work(uint32_t thread) {
    sunmao_context context = *loop.context;
    context.thread = thread;
    context.scratch = static_cast<std::byte*>(context.scratch) + thread * loop.scratch_stride;
    while (status.load(std::memory_order_relaxed) == 0) {
      const auto range = shares.take(thread);
      if (range.is_empty()) return;
      const int result = loop.body(loop.closure, range.begin, range.end, &context);
      if (result != 0) status.store(result, std::memory_order_relaxed);
    }
  }
};

class Pool {
 public:
  /// Runs the loop on the pool; false, with nothing run, when the pool is in use.
  bool try_run(const ParallelLoop& loop, uint32_t helpers, int& status) {
    if (is_taken_.exchange(true, std::memory_order_acquire)) return false;
    helpers = std::min(helpers, start_workers(helpers));
    const auto begin = LoopTimes::Clock::now();
    const bool is_short = times_.expected(loop.body, loop.count, begin) < kWorthWaking;
    if (is_short && sleepers_.load() + helpers > started_) helpers = 0;
    status = helpers == 0 ? run_in_place(loop) : run(loop, helpers);
    times_.record(loop.body, loop.count, begin, LoopTimes::Clock::now(), helpers + 1);
    is_taken_.store(false, std::memory_order_release);
    return true;
  }

  /// Ends all workers; no loop may be running.
  void stop() {
    gate_.fetch_or(kStopping);
    wake(kEveryone);
    for (uint32_t i = 0; i < started_; ++i) ::pthread_join(workers_[i].handle, nullptr);
  }

 private:
  struct Worker {
    Pool* pool = nullptr;
    uint32_t number = 0;  // from 1: the caller's thread is number 0
    pthread_t handle = {};
  };

  // The gate holds the number of workers inside the job and the number of the last worker that may enter. A worker
  // enters with one compare-and-swap; a job closes by admitting nobody, so that it never waits for sleeping workers.
  static constexpr uint32_t kInside = 1;  // 10 bits
  static constexpr uint32_t kInsideMask = 0x3ff;
  static constexpr uint32_t kAdmitted = 1 << 10;  // 10 bits
  static constexpr uint32_t kAdmittedMask = 0x3ff << 10;
  static constexpr uint32_t kStopping = 1 << 20;  // 1 bit
  static_assert(kMaxThreads <= 0x3ff);

  int run(const ParallelLoop& loop, uint32_t helpers) {
    job_.loop = loop;
    job_.shares.divide(loop.count, helpers + 1);
    job_.status.store(0, std::memory_order_relaxed);
    places_.record(0);
    open(helpers);
    job_.work(0);
    close(helpers);
    return job_.status.load(std::memory_order_relaxed);
  }

  static bool admits(uint32_t gate, uint32_t number) { return (gate & kAdmittedMask) / kAdmitted >= number; }

  void open(uint32_t helpers) {
    gate_.store(kAdmitted * helpers);
    if (sleepers_.load() != 0) wake(helpers < 31 ? (2u << helpers) - 2 : kEveryone);
  }

  void close(uint32_t helpers) {
    gate_.fetch_and(~kAdmittedMask);
    const auto is_empty = [this] { return (gate_.load(std::memory_order_acquire) & kInsideMask) == 0; };
    if (helpers < processors_ && spin_until(is_empty)) return;
    while (!is_empty()) ::sched_yield();
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
    for (; started_ < wanted; ++started_) {
      Worker& worker = workers_[started_];
      worker.pool = this;
      worker.number = started_ + 1;
      if (::pthread_create(&worker.handle, nullptr, &Pool::run_worker, &worker) != 0) break;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started_;
  }

  static void* run_worker(void* worker) {
    const auto* w = static_cast<const Worker*>(worker);
    w->pool->work(w->number);
    return nullptr;
  }

  void work(uint32_t number) {
    for (;;) {
      uint32_t gate = wait_for_work(number);
      if (gate & kStopping) return;
      places_.separate(number);
      while (admits(gate, number) && !gate_.compare_exchange_weak(gate, gate + kInside)) {
      }
      if (!admits(gate, number)) continue;
      job_.work(number);
      // Admits nobody any more, since the loop has no ranges left or has failed.
      gate_.fetch_and(~kAdmittedMask);
      gate_.fetch_sub(kInside, std::memory_order_release);
    }
  }

  uint32_t wait_for_work(uint32_t number) {
    uint32_t gate = 0;
    const auto has_work = [&] {
      gate = gate_.load();
      return admits(gate, number) || (gate & kStopping) != 0;
    };
    // More threads than processors take turns: they leave theirs to others.
    if (number < processors_ && spin_until(has_work)) return gate;
    sleepers_.fetch_add(1);
    while (!has_work()) park(gate, 1u << number % 32);
    sleepers_.fetch_sub(1);
    return gate;
  }

  // Each worker has one of 32 bits, so that a loop of few threads wakes few.
  static constexpr uint32_t kEveryone = UINT32_MAX;
  void park(uint32_t gate, uint32_t bit) {
    ::syscall(SYS_futex, &gate_, FUTEX_WAIT_BITSET_PRIVATE, gate, nullptr, nullptr, bit);
  }
  void wake(uint32_t bits) { ::syscall(SYS_futex, &gate_, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, bits); }

  std::atomic<bool> is_taken_{false};  // a thread runs a loop on the pool
  LoopTimes times_{kSpinTime};
  ThreadPlaces<kMaxThreads> places_;
  Job job_;
  alignas(64) std::atomic<uint32_t> gate_{0};
  std::atomic<uint32_t> sleepers_{0};
  const uint32_t processors_ = usable_processors();
  uint32_t started_ = 0;
  Worker workers_[kMaxThreads];
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

/// Fails, and is tried again by the next model, where the system has no memory to note the function.
bool watch_forks() {
  if (::pthread_atfork(nullptr, nullptr, after_fork_in_child) != 0) throw std::bad_alloc();
  return true;
}

class Locked {
 public:
  Locked() { ::pthread_mutex_lock(&g_lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { ::pthread_mutex_unlock(&g_lock); }
};

}  // namespace

ThreadPoolUser::ThreadPoolUser() {
  [[maybe_unused]] static const bool are_watched = watch_forks();
  const Locked locked;
  if (g_users == 0) g_pool.store(new Pool);
  ++g_users;
}

ThreadPoolUser::~ThreadPoolUser() {
  Pool* last = nullptr;
  {
    const Locked locked;
    if (--g_users == 0) last = g_pool.exchange(nullptr);
  }
  if (!last) return;
  last->stop();
  delete last;
}

int run_in_place(const ParallelLoop& loop) {
  if (loop.count <= 0) return 0;
  sunmao_context context = *loop.context;
  return loop.body(loop.closure, 0, loop.count, &context);
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
