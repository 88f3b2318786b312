// OutputBlocks: memory of large outputs that were given back, for the outputs of later runs.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>

namespace sunmao::runtime {

/// A block of memory, aligned to kStorageAlignment, that belongs to whoever holds the structure.
struct OutputBlock {
  void* memory = nullptr;
  uint64_t bytes = 0;
};

/// Keeps blocks that outputs had: the system zeroes fresh pages one by one at their first use, which costs more than
/// many a kernel that writes them. Threads may give blocks back while others take some. Nothing here allocates but
/// `take`.
class OutputBlocks {
 public:
  /// Smaller blocks are not kept: the C library reuses them as well.
  static bool is_worth_keeping(uint64_t bytes) { return bytes >= uint64_t{1} << 17; }

  OutputBlocks() = default;
  OutputBlocks(const OutputBlocks&) = delete;
  OutputBlocks& operator=(const OutputBlocks&) = delete;
  ~OutputBlocks();

  /// Returns a kept block of at least so many bytes and at most twice as many, or a new one; its memory is null when
  /// there is none. Its contents are anything. Frees blocks that many calls have not taken.
  OutputBlock take(uint64_t bytes);
  /// Keeps a block that is no larger than the limit; what is kept together may be a fourth more. Frees smaller ones
  /// where that takes room for it, and the block itself where larger ones leave none.
  void give_back(OutputBlock block);
  /// The limit; it never falls.
  void keep_up_to(uint64_t bytes);

 private:
  struct Kept {  // at the begin of its block
    Kept* next = nullptr;
    uint64_t bytes = 0;
    uint64_t takes = 0;  // when it was given back
  };
  void free_old();
  Kept* remove(Kept** link);
  bool make_room(uint64_t bytes);

  std::mutex mutex_;
  Kept* kept_ = nullptr;
  std::atomic<uint64_t> kept_bytes_ = 0;
  uint64_t limit_ = 0;
  uint64_t takes_ = 0;  // the calls of `take` that found blocks kept, or looked for one
};

}  // namespace sunmao::runtime
