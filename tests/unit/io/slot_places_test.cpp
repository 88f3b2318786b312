// Places of slots: those that are used at the same time lie apart, and together they need little more than they must.
#include "io/slot_places.h"

#include <gtest/gtest.h>

#include <random>

namespace sunmao::io {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 47;

struct Slots {
  std::vector<uint64_t> sizes;
  std::vector<SlotLife> lives;
};

Slots random_slots(uint32_t seed, size_t count) {
  std::mt19937 random(seed);
  Slots slots;
  for (size_t i = 0; i < count; ++i) {
    slots.sizes.push_back(random() % 5000);
    const size_t first = random() % (2 * count);
    slots.lives.push_back({first, first + random() % 20});
  }
  return slots;
}

/// Returns the number of pairs of slots that are alive together and overlap or lie outside.
size_t faults(const Slots& slots, const SlotPlaces& places) {
  size_t count = 0;
  for (size_t a = 0; a < slots.sizes.size(); ++a) {
    if (places.offsets[a] % kStorageAlignment != 0 || places.offsets[a] + slots.sizes[a] > places.bytes) ++count;
    for (size_t b = 0; b < a; ++b) {
      const bool together = slots.lives[a].first <= slots.lives[b].last && slots.lives[b].first <= slots.lives[a].last;
      const bool apart = places.offsets[a] + slots.sizes[a] <= places.offsets[b] ||
                         places.offsets[b] + slots.sizes[b] <= places.offsets[a];
      if (together && !apart && slots.sizes[a] > 0 && slots.sizes[b] > 0) ++count;
    }
  }
  return count;
}

TEST(SlotPlaces, slots_that_live_together_lie_apart) {
  double worst = 1;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const Slots slots = random_slots(seed, 1 + seed);
    const std::optional<SlotPlaces> places = place_slots(slots.sizes, slots.lives, kLimit);
    ASSERT_TRUE(places);
    EXPECT_EQ(faults(slots, *places), 0u) << "seed " << seed;
    const uint64_t least = places->live_bytes;
    ASSERT_GE(places->bytes, least);
    worst = std::max(worst, static_cast<double>(places->bytes) / static_cast<double>(std::max<uint64_t>(least, 1)));
  }
  EXPECT_LT(worst, 1.35);
}

TEST(SlotPlaces, many_slots_are_placed_in_one_pass) {
  const Slots slots = random_slots(7, 4000);
  const std::optional<SlotPlaces> places = place_slots(slots.sizes, slots.lives, kLimit);
  ASSERT_TRUE(places);
  EXPECT_EQ(faults(slots, *places), 0u);
  EXPECT_LT(static_cast<double>(places->bytes), 1.35 * static_cast<double>(places->live_bytes));
}

TEST(SlotPlaces, a_chain_needs_two_slots) {
  Slots chain;
  for (size_t i = 0; i < 100; ++i) {
    chain.sizes.push_back(640);
    chain.lives.push_back({i, i + 1});
  }
  EXPECT_EQ(place_slots(chain.sizes, chain.lives, kLimit)->bytes, 1280u);
  EXPECT_EQ(place_slots(chain.sizes, chain.lives, kLimit)->live_bytes, 1280u);
}

TEST(SlotPlaces, unused_slots_take_no_memory) {
  const std::vector<uint64_t> sizes = {1000, 64};
  const std::vector<SlotLife> lives = {SlotLife(), {0, 1}};
  EXPECT_EQ(place_slots(sizes, lives, kLimit)->bytes, 64u);
  EXPECT_EQ(place_slots(sizes, lives, kLimit)->live_bytes, 64u);
}

TEST(SlotPlaces, there_is_a_limit) {
  const std::vector<uint64_t> sizes = {uint64_t{1} << 46, uint64_t{1} << 46, 64};
  const std::vector<SlotLife> lives = {{0, 2}, {1, 3}, {2, 2}};
  EXPECT_FALSE(place_slots(sizes, lives, kLimit));
  EXPECT_TRUE(place_slots(sizes, lives, kLimit + 64));
  const std::vector<SlotLife> apart = {{0, 0}, {1, 1}, {2, 2}};
  EXPECT_EQ(place_slots(sizes, apart, kLimit)->bytes, uint64_t{1} << 46);
}

}  // namespace
}  // namespace sunmao::io
