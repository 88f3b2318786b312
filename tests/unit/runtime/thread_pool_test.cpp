// The thread pool: every index runs once, shares and stealing, failures, contention, nesting, fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/arena.h"
#include "runtime/thread_pool.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SUNMAO_TEST_TSAN 1
#endif
#endif

namespace sunmao::runtime::testing {
namespace {

const sunmao_context kContext{.abi_version = SUNMAO_KERNEL_ABI, .num_threads = 1};

int count_visits(void* closure, int64_t begin, int64_t end, sunmao_context*) {
  auto& visits = *static_cast<std::vector<std::atomic<int>>*>(closure);
  for (int64_t i = begin; i < end; ++i) visits[static_cast<size_t>(i)].fetch_add(1);
  return 0;
}

bool each_once(int64_t count, uint32_t threads) {
  std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
  if (run_parallel({count_visits, &visits, count, &kContext}, threads) != 0) return false;
  for (const std::atomic<int>& visit : visits)
    if (visit != 1) return false;
  return true;
}

TEST(ThreadPool, every_index_once) {
  const ThreadPoolUser user;
  for (const int64_t count : {0, 1, 2, 3, 7, 64, 1000, 10007})
    for (const uint32_t threads : {1u, 2u, 3u, 8u}) EXPECT_TRUE(each_once(count, threads)) << count << " " << threads;
}

TEST(ThreadPool, many_short_loops) {
  const ThreadPoolUser user;
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(each_once(5, 4));
}

TEST(ThreadPool, loops_from_several_threads_at_once) {
  const ThreadPoolUser user;
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      const ThreadPoolUser another;
      for (int round = 0; round < 500; ++round)
        if (!each_once(100, 3)) ++wrong;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, each_thread_has_its_share_and_its_number) {
  static constexpr int kThreads = 4;
  struct Loop {
    std::atomic<int> entered{0};
    std::vector<uint32_t> thread_of = std::vector<uint32_t>(kThreads);
  };
  // No thread is done before all have begun, so none takes from another.
  const auto body = [](void* closure, int64_t begin, int64_t, sunmao_context* context) {
    auto& loop = *static_cast<Loop*>(closure);
    loop.thread_of[static_cast<size_t>(begin)] = context->thread;
    ++loop.entered;
    while (loop.entered < kThreads) std::this_thread::yield();
    return context->num_threads == 1 ? 0 : 1;
  };
  for (int i = 0; i < 20; ++i) {
    const ThreadPoolUser user;
    Loop loop;
    ASSERT_EQ(run_parallel({body, &loop, kThreads, &kContext}, kThreads), 0);
    EXPECT_EQ(loop.thread_of, (std::vector<uint32_t>{0, 1, 2, 3}));
  }
}

TEST(ThreadPool, what_a_slow_thread_has_left_is_taken_over) {
  static constexpr int64_t kCount = 1000;
  for (const int64_t slow : {int64_t{0}, kCount - 1}) {
    const ThreadPoolUser user;
    struct Loop {
      const int64_t slow;
      std::atomic<int64_t> done{0};
    } loop{slow};
    // The range of one index ends only after all others.
    const auto body = [](void* closure, int64_t begin, int64_t end, sunmao_context*) {
      auto& l = *static_cast<Loop*>(closure);
      if (begin <= l.slow && l.slow < end)
        while (l.done < kCount - (end - begin)) std::this_thread::yield();
      l.done += end - begin;
      return 0;
    };
    ASSERT_EQ(run_parallel({body, &loop, kCount, &kContext}, 2), 0);
    EXPECT_EQ(loop.done, kCount);
  }
}

TEST(ThreadPool, a_failure_is_returned_and_ends_the_loop) {
  const ThreadPoolUser user;
  std::atomic<int64_t> ran{0};
  const auto body = [](void* closure, int64_t begin, int64_t end, sunmao_context*) {
    for (int64_t i = begin; i < end; ++i) {
      static_cast<std::atomic<int64_t>*>(closure)->fetch_add(1);
      if (i == 5) return 42;
    }
    return 0;
  };
  for (const uint32_t threads : {1u, 4u}) {
    ran = 0;
    EXPECT_EQ(run_parallel({body, &ran, 100000, &kContext}, threads), 42);
    EXPECT_LT(ran, 100000);
  }
}

int nested(void* closure, int64_t begin, int64_t end, sunmao_context* context) {
  for (int64_t i = begin; i < end; ++i)
    if (run_parallel({count_visits, closure, 10, context}, 2) != 0) return 1;
  return 0;
}

TEST(ThreadPool, comes_and_goes) {
  for (int i = 0; i < 20; ++i) {
    const ThreadPoolUser user;
    EXPECT_TRUE(each_once(50, 3));
  }
}

TEST(ThreadPool, works_without_a_user_in_place) { EXPECT_TRUE(each_once(50, 3)); }

TEST(ThreadPool, a_loop_inside_a_worker_runs_in_place) {
  const ThreadPoolUser user;
  std::vector<std::atomic<int>> visits(10);
  // The caller's thread takes part and holds the pool while nested loops request it.
  ASSERT_EQ(run_parallel({nested, &visits, 8, &kContext}, 2), 0);
  for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit, 8);
}

#ifndef SUNMAO_TEST_TSAN  // TSan does not support threads started after a fork of a multi-threaded process
TEST(ThreadPool, a_forked_child_makes_its_own_threads) {
  const ThreadPoolUser user;
  ASSERT_TRUE(each_once(100, 3));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(each_once(100, 3) && each_once(1000, 2) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(each_once(100, 3));
}
#endif

TEST(ThreadCount, is_what_was_set_or_the_default) {
  const uint32_t before = thread_count();
  EXPECT_GE(before, 1u);
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3u);
  set_thread_count(UINT32_MAX);
  EXPECT_EQ(thread_count(), kMaxThreads);
  set_thread_count(0);
  EXPECT_EQ(thread_count(), before);
}

TEST(Arena, E0910_more_than_the_machine_has) {
  Arena arena;
  const io::Status status = arena.reserve(uint64_t{1} << 46);
  EXPECT_STREQ(status.code(), "E0910");
  ASSERT_TRUE(arena.reserve(100).ok());
  EXPECT_GE(arena.capacity(), 100u);
  const uint64_t capacity = arena.capacity();
  ASSERT_TRUE(arena.reserve(capacity + 1).ok());
  EXPECT_GE(arena.capacity(), capacity * 3 / 2);
}

TEST(Arena, after_many_small_calls_the_system_has_the_memory_behind_back) {
  constexpr uint64_t kLarge = 32 << 20, kSmall = 1 << 20;
  Arena arena;
  ASSERT_TRUE(arena.reserve(kLarge).ok());
  auto* const bytes = static_cast<unsigned char*>(cpu_address(arena.storage()));
  const auto small_calls = [&](int count) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(arena.reserve(kSmall).ok());
  };
  bytes[0] = bytes[kLarge - 1] = 1;
  small_calls(31);
  ASSERT_TRUE(arena.reserve(kLarge).ok());
  small_calls(31);
  EXPECT_EQ(bytes[kLarge - 1], 1) << "a large call begins anew";
  small_calls(1);
  EXPECT_EQ(bytes[kLarge - 1], 0);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_GE(arena.capacity(), kLarge);
}

}  // namespace
}  // namespace sunmao::runtime::testing
