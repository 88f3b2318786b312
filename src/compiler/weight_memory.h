// WeightMemory: memory for weights that are being prepared, of which only so much is in use at one time.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace sunmao {

/// Blocks may be released on any thread; `take` is called on one. Blocks are used again, since new memory costs more
/// than what is done with it.
class WeightMemory {
 public:
  /// `most` bytes are in use at one time, or a single block that is larger.
  explicit WeightMemory(size_t most) : state_(std::make_shared<State>(most)) {}

  /// Returns the bytes of a block for `size` bytes.
  static size_t block_size(size_t size);
  /// Returns memory aligned to 64 bytes, its contents unspecified. Waits for blocks that others hold: `held` bytes are
  /// in blocks that the caller holds. Fails with E0910 for lack of memory.
  std::shared_ptr<std::byte> take(size_t size, size_t held);

 private:
  struct Block {
    std::byte* data = nullptr;
    size_t size = 0;
  };
  class State {
   public:
    explicit State(size_t most) : most_(most) {}
    ~State();
    Block take(size_t size, size_t held);
    void give_back(Block block);

   private:
    void drop_idle(size_t room);

    const size_t most_;
    std::mutex lock_;
    std::condition_variable released_;
    size_t used_ = 0, idle_bytes_ = 0;
    std::vector<Block> idle_;
  };
  std::shared_ptr<State> state_;
};

}  // namespace sunmao
