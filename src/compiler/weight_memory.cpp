#include "compiler/weight_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr size_t kUnit = size_t{1} << 16;  // sizes of blocks are multiples of it, so that alike ones fit each other

}  // namespace

WeightMemory::State::~State() { drop_idle(0); }

// Releases idle blocks, the oldest first, until they take at most `room` bytes.
void WeightMemory::State::drop_idle(size_t room) {
  while (idle_bytes_ > room) {
    const Block block = idle_.front();
    idle_.erase(idle_.begin());
    idle_bytes_ -= block.size;
    munmap(block.data, block.size);
  }
}

WeightMemory::Block WeightMemory::State::take(size_t size, size_t held) {
  std::unique_lock guard(lock_);
  released_.wait(guard, [&] { return used_ <= held || used_ + size <= most_; });
  used_ += size;
  const auto fits = std::ranges::find(idle_, size, &Block::size);
  if (fits != idle_.end()) {
    const Block block = *fits;
    idle_.erase(fits);
    idle_bytes_ -= size;
    return block;
  }
  drop_idle(used_ < most_ ? most_ - used_ : 0);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    used_ -= size;
    fail("E0910", {}, fmt::format("not enough memory: a weight that is prepared takes {} bytes", size));
  }
  madvise(memory, size, MADV_HUGEPAGE);  // advice: it may be refused
  return {static_cast<std::byte*>(memory), size};
}

void WeightMemory::State::give_back(Block block) {
  {
    const std::lock_guard guard(lock_);
    used_ -= block.size;
    idle_.push_back(block);
    idle_bytes_ += block.size;
    drop_idle(used_ < most_ ? most_ - used_ : 0);
  }
  released_.notify_all();
}

size_t WeightMemory::block_size(size_t size) { return (std::max<size_t>(size, 1) + kUnit - 1) / kUnit * kUnit; }

std::shared_ptr<std::byte> WeightMemory::take(size_t size, size_t held) {
  const Block block = state_->take(block_size(size), held);
  return {block.data, [state = state_, block](std::byte*) { state->give_back(block); }};
}

}  // namespace sunmao
