// A thread that moves away from others keeps its affinity.
#include "runtime/thread_places.h"

#include <gtest/gtest.h>

namespace sunmao::runtime::testing {
namespace {

TEST(ThreadPlaces, the_affinity_of_a_thread_that_moves_stays_as_it_is) {
  cpu_set_t before, after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  ThreadPlaces<4> places;
  places.record(0);
  places.record(1);
  places.separate(2);
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(ThreadPlaces, a_thread_with_one_processor_stays) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  const int here = ::sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  ThreadPlaces<2> places;
  places.record(0);
  places.separate(1);
  EXPECT_EQ(::sched_getcpu(), here);
  EXPECT_EQ(::sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace sunmao::runtime::testing
