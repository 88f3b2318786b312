// Memory for weights that are being prepared.
#include "compiler/weight_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace sunmao {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

TEST(WeightMemory, waits_for_what_others_hold_and_not_for_what_the_caller_holds) {
  WeightMemory memory(2 * kBlock);
  std::shared_ptr<std::byte> first = memory.take(kBlock, 0), second = memory.take(kBlock, kBlock);
  // The caller holds both: there is nothing to wait for.
  std::shared_ptr<std::byte> third = memory.take(kBlock, 2 * kBlock);
  EXPECT_NE(third.get(), second.get());
  std::atomic<bool> is_released = false;
  std::thread other([&] {
    is_released = true;
    first.reset();
    second.reset();
  });
  const std::shared_ptr<std::byte> fourth = memory.take(kBlock, kBlock);
  EXPECT_TRUE(is_released);
  other.join();
  EXPECT_NE(fourth.get(), third.get());
}

TEST(WeightMemory, blocks_are_used_again_and_outlive_it) {
  std::shared_ptr<std::byte> kept;
  {
    WeightMemory memory(4 * kBlock);
    std::shared_ptr<std::byte> block = memory.take(100, 0);
    const std::byte* at = block.get();
    block.reset();
    kept = memory.take(200, 0);
    EXPECT_EQ(kept.get(), at);
  }
  kept.get()[199] = std::byte{1};
}

}  // namespace
}  // namespace sunmao
