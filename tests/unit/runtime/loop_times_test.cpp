// Which loops are worth waking threads for, by times that are given.
#include "runtime/loop_times.h"

#include <gtest/gtest.h>

namespace sunmao::runtime::testing {
namespace {

using std::chrono::microseconds;
using Time = LoopTimes::Clock::time_point;

int first(void*, int64_t, int64_t, sunmao_context*) { return 0; }
int second(void*, int64_t, int64_t, sunmao_context*) { return 1; }

Time at(int64_t us) { return Time{} + std::chrono::hours(1) + microseconds(us); }

TEST(LoopTimes, know_how_long_a_loop_took_on_one_thread) {
  LoopTimes times(microseconds(50));
  times.record(first, 8, at(0), at(30), 1);
  EXPECT_EQ(times.expected(first, 8, at(1000)), microseconds(30));
  times.record(first, 8, at(1000), at(1030), 2);
  EXPECT_EQ(times.expected(first, 8, at(2000)), microseconds(60));
}

TEST(LoopTimes, take_an_unknown_loop_for_long) {
  LoopTimes times(microseconds(50));
  times.record(first, 8, at(0), at(30), 1);
  EXPECT_GT(times.expected(second, 8, at(40)), std::chrono::hours(1));
  EXPECT_GT(times.expected(first, 9, at(40)), std::chrono::hours(1));
}

TEST(LoopTimes, add_up_in_a_series_without_pauses) {
  LoopTimes times(microseconds(50));
  times.record(first, 8, at(0), at(30), 1);
  EXPECT_EQ(times.expected(first, 8, at(70)), microseconds(60));
  times.record(first, 8, at(70), at(90), 1);
  EXPECT_EQ(times.expected(first, 8, at(130)), microseconds(70));
  EXPECT_EQ(times.expected(first, 8, at(150)), microseconds(20));
}

}  // namespace
}  // namespace sunmao::runtime::testing
