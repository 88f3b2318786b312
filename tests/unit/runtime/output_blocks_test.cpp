#include "runtime/output_blocks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace sunmao::runtime {
namespace {

constexpr uint64_t kMega = uint64_t{1} << 20;

TEST(OutputBlocks, one_that_was_given_back_is_taken_again) {
  OutputBlocks blocks;
  blocks.keep_up_to(4 * kMega);
  const OutputBlock first = blocks.take(3 * kMega);
  ASSERT_NE(first.memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.memory) % 64, 0u);
  blocks.give_back(first);
  const OutputBlock second = blocks.take(2 * kMega);
  EXPECT_EQ(second.memory, first.memory);
  EXPECT_EQ(second.bytes, 3 * kMega);
  const OutputBlock third = blocks.take(2 * kMega);  // while the second is out
  EXPECT_NE(third.memory, second.memory);
  blocks.give_back(second);
  blocks.give_back(third);  // beyond the limit: freed, which the sanitizer's lane sees
}

TEST(OutputBlocks, the_smallest_that_fits_and_none_of_over_twice_the_size) {
  OutputBlocks blocks;
  blocks.keep_up_to(16 * kMega);
  const OutputBlock large = blocks.take(8 * kMega);
  const OutputBlock small = blocks.take(4 * kMega);
  blocks.give_back(small);
  blocks.give_back(large);
  const OutputBlock fits = blocks.take(4 * kMega - 100);
  EXPECT_EQ(fits.memory, small.memory);
  const OutputBlock other = blocks.take(3 * kMega);  // 8 MB are left
  EXPECT_NE(other.memory, large.memory);
  EXPECT_EQ(other.bytes, 3 * kMega);
  blocks.give_back(fits);
  blocks.give_back(other);
}

TEST(OutputBlocks, without_a_limit_nothing_is_kept) {
  OutputBlocks blocks;
  const OutputBlock block = blocks.take(kMega);
  blocks.give_back(block);
  const OutputBlock small = blocks.take(100);
  EXPECT_EQ(small.bytes, 128u);
  blocks.give_back(small);
}

TEST(OutputBlocks, what_many_calls_have_not_taken_is_freed) {
  OutputBlocks blocks;
  blocks.keep_up_to(4 * kMega);
  blocks.give_back(blocks.take(3 * kMega));
  const auto small_calls = [&](int count) {
    for (int i = 0; i < count; ++i) blocks.give_back(blocks.take(100));
  };
  small_calls(60);
  const OutputBlock kept = blocks.take(2 * kMega);
  EXPECT_EQ(kept.bytes, 3 * kMega);
  blocks.give_back(kept);
  small_calls(65);
  const OutputBlock fresh = blocks.take(2 * kMega);
  EXPECT_EQ(fresh.bytes, 2 * kMega);
  blocks.give_back(fresh);
}

TEST(OutputBlocks, smaller_ones_make_room_for_a_larger_one) {
  OutputBlocks blocks;
  blocks.keep_up_to(kMega);
  blocks.give_back(blocks.take(kMega));  // of a small run
  blocks.keep_up_to(3 * kMega);
  const OutputBlock large = blocks.take(3 * kMega);
  blocks.give_back(large);
  const OutputBlock again = blocks.take(3 * kMega);
  EXPECT_EQ(again.memory, large.memory);
  blocks.give_back(again);
  blocks.give_back(blocks.take(kMega));  // leaves the large one where it is
  const OutputBlock still = blocks.take(3 * kMega);
  EXPECT_EQ(still.memory, large.memory);
  blocks.give_back(still);
}

TEST(OutputBlocks, threads_take_and_give_back) {
  OutputBlocks blocks;
  blocks.keep_up_to(3 * kMega);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&blocks, t] {
      for (int i = 0; i < 200; ++i) {
        const OutputBlock block = blocks.take(kMega + 64 * static_cast<uint64_t>(t));
        auto* value = static_cast<int*>(block.memory);
        *value = t;
        std::this_thread::yield();
        EXPECT_EQ(*value, t);
        blocks.give_back(block);
      }
    });
}

}  // namespace
}  // namespace sunmao::runtime
