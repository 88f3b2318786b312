#include "runtime/output_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "runtime/arena.h"

namespace sunmao::runtime {
namespace {

constexpr uint64_t kTakesUnused = 64;
constexpr uint64_t kShareOfSmall = 4;  // a fourth of the limit is for smaller blocks beside the largest

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
    std::free(remove(link));
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
      Kept* const found = remove(best);
      return {found, found->bytes};
    }
  }
  const uint64_t size = align_up(bytes);
  return {std::aligned_alloc(kStorageAlignment, size), size};
}

OutputBlocks::Kept* OutputBlocks::remove(Kept** link) {
  Kept* const kept = std::exchange(*link, (*link)->next);
  kept_bytes_ -= kept->bytes;
  return kept;
}

bool OutputBlocks::make_room(uint64_t bytes) {
  const uint64_t most = limit_ + limit_ / kShareOfSmall;
  if (bytes > limit_) return false;
  while (kept_bytes_ + bytes > most) {
    Kept** smallest = &kept_;
    for (Kept** link = &kept_; *link; link = &(*link)->next)
      if ((*link)->bytes < (*smallest)->bytes) smallest = link;
    if ((*smallest)->bytes >= bytes) return false;
    std::free(remove(smallest));
  }
  return true;
}

void OutputBlocks::give_back(OutputBlock block) {
  if (is_worth_keeping(block.bytes)) {
    const std::lock_guard lock(mutex_);
    if (make_room(block.bytes)) {
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
