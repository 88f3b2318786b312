// LoopTimes: how long parallel loops took when they ran last, to tell which are worth waking sleeping threads for.
#pragma once
#include <chrono>
#include <cstdint>

#include "abi/kernel.h"

namespace sunmao::runtime {

class LoopTimes {
 public:
  using Clock = std::chrono::steady_clock;

  /// `pause` is the gap between two loops that ends a series of them.
  explicit LoopTimes(Clock::duration pause) : pause_(pause) {}

  /// Returns how long the loop and those before it in its series take on one thread; a loop that is not known takes
  /// very long.
  Clock::duration expected(sunmao_range_body body, int64_t count, Clock::time_point begin) {
    if (begin - last_end_ > pause_) series_ = {};
    const Entry& entry = entry_of(body, count);
    return entry.body == body && entry.count == count ? series_ + entry.time : Clock::duration::max();
  }

  /// Records when the loop ran on so many threads.
  void record(sunmao_range_body body, int64_t count, Clock::time_point begin, Clock::time_point end, uint32_t threads) {
    last_end_ = end;
    const Clock::duration time = (end - begin) * threads;
    entry_of(body, count) = {body, count, time};
    series_ += time;
  }

 private:
  struct Entry {
    sunmao_range_body body = nullptr;
    int64_t count = 0;
    Clock::duration time{};
  };
  static constexpr uint64_t kEntries = 256;

  Entry& entry_of(sunmao_range_body body, int64_t count) {
    const uint64_t key = reinterpret_cast<uint64_t>(body) / 16 + static_cast<uint64_t>(count);
    return entries_[key % kEntries];
  }

  const Clock::duration pause_;
  Clock::time_point last_end_{};
  Clock::duration series_{};
  Entry entries_[kEntries];
};

}  // namespace sunmao::runtime
