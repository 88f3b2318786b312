#include "runtime/output_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "runtime/arena.h"

namespace sunmao::runtime {
namespace {

constexpr uint64_t kTakesUnused = 64;

}  // namespace

OutputBlocks::~OutputBlocks() {
  while (kept_) std::free(std::exchange(kept_, kept_->next));
}

void OutputBlocks::free_old() {
  ++takes_;
  for (Kept** link = &kept_; *link;) {
    Kept* const kept = *link;
    if (takes_ - kept->takes <= kTakesUnused) {
      link = &kept->next;
      continue;
    }
    *link = kept->next;
    kept_bytes_ -= kept->bytes;
    std::free(kept);
  }
}

OutputBlock OutputBlocks::take(uint64_t bytes) {
  if (is_worth_keeping(bytes) || kept_bytes_ != 0) {
    const std::lock_guard lock(mutex_);
    free_old();
    Kept** best = nullptr;  // the link to it
    for (Kept** link = &kept_; *link; link = &(*link)->next) {
      const uint64_t size = (*link)->bytes;
      if (size >= bytes && size / 2 <= bytes && (!best || size < (*best)->bytes)) best = link;
    }
    if (best) {
      Kept* const found = std::exchange(*best, (*best)->next);
      kept_bytes_ -= found->bytes;
      return {found, found->bytes};
    }
  }
  const uint64_t size = align_up(bytes);
  return {std::aligned_alloc(kStorageAlignment, size), size};
}

void OutputBlocks::give_back(OutputBlock block) {
  if (is_worth_keeping(block.bytes)) {
    const std::lock_guard lock(mutex_);
    if (kept_bytes_ + block.bytes <= limit_) {
      kept_ = new (block.memory) Kept{kept_, block.bytes, takes_};
      kept_bytes_ += block.bytes;
      return;
    }
  }
  std::free(block.memory);
}

void OutputBlocks::keep_up_to(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = std::max(limit_, bytes);
}

}  // namespace sunmao::runtime
