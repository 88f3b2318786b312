#include "runtime/blocks.h"

#include <sys/mman.h>

#include <algorithm>

#include "io/concat.h"
#include "runtime/arena.h"

namespace sunmao::runtime {
namespace {

/// Makes room for one more item, so that adding it cannot fail where memory is held that nothing else knows of.
template <class T>
void make_room(std::vector<T>& items) {
  if (items.size() == items.capacity()) items.reserve(std::max<size_t>(8, 2 * items.size()));
}

}  // namespace

Blocks::~Blocks() {
  for (const Block& block : blocks_)
    if (block.bytes > 0) ::munmap(cpu_address(block.storage), size_t{1} << block.size_class);
  for (std::byte* chunk : chunks_) ::munmap(chunk, kChunk);
}

io::Result<uint32_t> Blocks::take(uint64_t bytes, Owner owner) {
  const uint32_t size_class = class_of(bytes);
  uint32_t number = size_class < kClasses ? free_[size_class] : kNoBlock;
  if (number != kNoBlock) {
    free_[size_class] = blocks_[number].next;
  } else {
    io::Result<uint32_t> made = make(bytes, size_class);
    if (!made.ok() && size_class < kClasses) {
      trim();
      made = make(bytes, size_class);
    }
    if (!made.ok()) return made.status();
    number = *made;
  }
  Block& block = blocks_[number];
  if (size_class >= kFirstLarge && bytes > block.bytes) {
    bytes_ += bytes - block.bytes;
    block.bytes = bytes;
  }
  block.next = owner.list;
  block.owner = owner.number;
  owner.list = number;
  return number;
}

io::Result<uint32_t> Blocks::make(uint64_t bytes, uint32_t size_class) {
  const uint64_t size = uint64_t{1} << std::min(size_class, kClasses);
  Block block = {{}, size_class, kNoBlock, 0, 0, 0};
  if (without_memory_ == kNoBlock) make_room(blocks_);
  if (size_class >= kFirstLarge) {
    const io::Result<std::byte*> base = map(size, bytes);
    if (!base.ok()) return base.status();
    block.storage = cpu_storage(*base);
    block.bytes = bytes;
  } else {
    if (rest_.bytes < size) {
      make_room(chunks_);
      const io::Result<std::byte*> base = map(kChunk, kChunk);
      if (!base.ok()) return base.status();
      chunks_.push_back(*base);
      rest_ = {*base, kChunk};
    }
    block.storage = cpu_storage(rest_.base);
    rest_ = {rest_.base + size, rest_.bytes - size};
  }
  if (without_memory_ == kNoBlock) {
    blocks_.push_back(block);
    return static_cast<uint32_t>(blocks_.size() - 1);
  }
  const uint32_t number = without_memory_;
  without_memory_ = blocks_[number].next;
  blocks_[number] = block;
  return number;
}

io::Result<std::byte*> Blocks::map(uint64_t size, uint64_t bytes) {
  SUNMAO_TRY(check_memory(bytes_ + bytes));
  constexpr int kReadWrite = PROT_READ | PROT_WRITE, kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* base = ::mmap(nullptr, size, kReadWrite, kFlags, -1, 0);
  if (base == MAP_FAILED)
    return io::Status::error(
        "E0910", io::concat("this run needs ", bytes, " more bytes of memory, and the system does not give them"),
        "use smaller dimensions, or a machine with more memory");
  bytes_ += bytes;
  return static_cast<std::byte*>(base);
}

void Blocks::trim() {
  for (uint32_t size_class = kFirstLarge; size_class < kClasses; ++size_class)
    while (free_[size_class] != kNoBlock) {
      const uint32_t number = free_[size_class];
      Block& block = blocks_[number];
      free_[size_class] = block.next;
      ::munmap(cpu_address(block.storage), size_t{1} << size_class);
      bytes_ -= block.bytes;
      block = {{}, size_class, without_memory_, 0, 0, 0};
      without_memory_ = number;
    }
}

void Blocks::hand_on(uint32_t& list, Owner heir) {
  for (uint32_t* link = &list; *link != kNoBlock;) {
    const uint32_t number = *link;
    Block& block = blocks_[number];
    if (block.kept_for != ends_) {
      link = &block.next;
      continue;
    }
    *link = block.next;
    block.owner = heir.number;
    block.next = heir.list;
    heir.list = number;
  }
  ++ends_;
}

}  // namespace sunmao::runtime
