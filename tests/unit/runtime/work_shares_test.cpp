// Shares of a loop: what each thread takes first, and what is taken over.
#include "runtime/work_shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace sunmao::runtime::testing {
namespace {

using Shares = WorkShares<8>;

/// Takes all ranges for a thread; returns how often each index was in one.
std::vector<int> take_all(Shares& shares, uint32_t thread, int64_t count) {
  std::vector<int> times(static_cast<size_t>(count));
  for (auto range = shares.take(thread); !range.is_empty(); range = shares.take(thread))
    for (int64_t i = range.begin; i < range.end; ++i) ++times[static_cast<size_t>(i)];
  return times;
}

TEST(WorkShares, cover_each_index_once) {
  Shares shares;
  for (const int64_t count : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{64}, int64_t{127}, int64_t{1000}})
    for (const uint32_t threads : {1u, 2u, 3u, 8u})
      for (const uint32_t thread : {0u, threads - 1}) {
        shares.divide(count, threads);
        EXPECT_EQ(take_all(shares, thread, count), std::vector<int>(static_cast<size_t>(count), 1))
            << count << " " << threads;
      }
}

TEST(WorkShares, begin_at_the_same_place_each_time) {
  Shares shares;
  for (int i = 0; i < 2; ++i) {
    shares.divide(400, 4);
    for (const uint32_t thread : {2u, 0u, 3u, 1u})
      EXPECT_NEAR(static_cast<double>(shares.take(thread).begin), 100 * thread, 6);
  }
}

TEST(WorkShares, end_from_behind_when_others_take_them) {
  Shares shares;
  shares.divide(4, 2);
  EXPECT_EQ(shares.take(0).begin, 0);
  EXPECT_EQ(shares.take(0).begin, 1);
  EXPECT_EQ(shares.take(0).begin, 3);
  EXPECT_EQ(shares.take(1).begin, 2);
  EXPECT_TRUE(shares.take(0).is_empty());
  EXPECT_TRUE(shares.take(1).is_empty());
}

TEST(WorkShares, hold_more_indices_than_fit_32_bits) {
  Shares shares;
  const int64_t count = int64_t{1} << 40;
  shares.divide(count, 3);
  int64_t sum = 0;
  for (auto range = shares.take(1); !range.is_empty(); range = shares.take(1)) sum += range.end - range.begin;
  EXPECT_EQ(sum, count);
}

}  // namespace
}  // namespace sunmao::runtime::testing
