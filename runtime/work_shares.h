// WorkShares: the iterations of a parallel loop, divided among threads. Each has a contiguous share, and takes ranges
// from the front of it; a thread whose share is empty takes them from the ends of others'. Lock-free.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sunmao::runtime {

template <uint32_t kThreads>
class WorkShares {
 public:
  struct Range {
    int64_t begin = 0, end = 0;
    bool is_empty() const { return begin == end; }
  };

  /// Divides [0, count) among `threads`, in equal parts up to a chunk. No thread may be taking from it.
  void divide(int64_t count, uint32_t threads) {
    count_ = count;
    threads_ = threads;
    chunk_ = std::max<int64_t>(1, count / (int64_t{kChunksPerThread} * threads));
    const uint64_t chunks = static_cast<uint64_t>((count + chunk_ - 1) / chunk_);
    for (uint64_t i = 0; i < threads; ++i)
      shares_[i].chunks.store(pack(chunks * i / threads, chunks * (i + 1) / threads), std::memory_order_relaxed);
  }

  /// Returns the next range for the thread; an empty one when all have been taken.
  Range take(uint32_t thread) {
    uint64_t own = shares_[thread].chunks.load(std::memory_order_relaxed);
    while (size(own) > 0)
      if (shares_[thread].chunks.compare_exchange_weak(own, pack(first(own) + 1, end(own)), std::memory_order_relaxed))
        return range(first(own));
    return steal();
  }

 private:
  // Enough to balance threads of unequal speed, few enough for negligible overhead.
  static constexpr uint32_t kChunksPerThread = 16;

  // The first chunk in the upper half, the end in the lower one.
  struct alignas(64) Share {
    std::atomic<uint64_t> chunks{0};
  };
  static uint64_t pack(uint64_t first, uint64_t end) { return first << 32 | end; }
  static uint64_t first(uint64_t share) { return share >> 32; }
  static uint64_t end(uint64_t share) { return share & UINT32_MAX; }
  static uint64_t size(uint64_t share) { return end(share) - first(share); }

  Range range(uint64_t chunk) const {
    const int64_t begin = static_cast<int64_t>(chunk) * chunk_;
    return {begin, std::min(begin + chunk_, count_)};
  }

  /// Takes the last chunk of the largest share.
  Range steal() {
    for (;;) {
      uint32_t victim = 0;
      uint64_t largest = 0;
      for (uint32_t i = 0; i < threads_; ++i) {
        const uint64_t share = shares_[i].chunks.load(std::memory_order_relaxed);
        if (size(share) > size(largest)) largest = share, victim = i;
      }
      if (size(largest) == 0) return {};
      const uint64_t rest = pack(first(largest), end(largest) - 1);
      if (shares_[victim].chunks.compare_exchange_strong(largest, rest, std::memory_order_relaxed))
        return range(end(rest));
    }
  }

  int64_t count_ = 0, chunk_ = 1;
  uint32_t threads_ = 0;
  Share shares_[kThreads];
};

}  // namespace sunmao::runtime
