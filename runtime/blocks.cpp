#include "runtime/blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "io/concat.h"
#include "runtime/arena.h"

namespace sunmao::runtime {

Blocks::~Blocks() {
  for (const Mapping& mapping : mappings_) ::munmap(mapping.base, mapping.bytes);
}

io::Result<uint32_t> Blocks::take(uint64_t bytes, uint32_t& list) {
  const uint32_t size_class =
      std::max(kSmallest, static_cast<uint32_t>(std::bit_width(std::max<uint64_t>(bytes, 1) - 1)));
  uint32_t block = size_class < kClasses ? free_[size_class] : kNoBlock;
  if (block != kNoBlock) {
    free_[size_class] = blocks_[block].next;
  } else {
    io::Result<uint32_t> made = make(bytes, size_class);
    if (!made.ok()) return made.status();
    block = *made;
  }
  blocks_[block].next = list;
  list = block;
  return block;
}

io::Result<uint32_t> Blocks::make(uint64_t bytes, uint32_t size_class) {
  const uint64_t size = uint64_t{1} << std::min(size_class, kClasses);
  std::byte* base = nullptr;
  if (size_class >= kFirstLarge) {
    SUNMAO_TRY(map(size, bytes));
    base = mappings_.back().base;
  } else {
    if (rest_.bytes < size) {
      SUNMAO_TRY(map(kChunk, kChunk));
      rest_ = mappings_.back();
    }
    base = rest_.base;
    rest_ = {rest_.base + size, rest_.bytes - size};
  }
  blocks_.push_back({cpu_storage(base), size_class, kNoBlock, 0});
  return static_cast<uint32_t>(blocks_.size() - 1);
}

io::Status Blocks::map(uint64_t size, uint64_t bytes) {
  SUNMAO_TRY(check_memory(bytes_ + bytes));
  constexpr int kReadWrite = PROT_READ | PROT_WRITE, kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* base = ::mmap(nullptr, size, kReadWrite, kFlags, -1, 0);
  if (base == MAP_FAILED)
    return io::Status::error(
        "E0910", io::concat("this run needs ", bytes, " more bytes of memory, and the system does not give them"),
        "use smaller dimensions, or a machine with more memory");
  mappings_.push_back({static_cast<std::byte*>(base), size});
  bytes_ += bytes;
  return {};
}

void Blocks::end(uint32_t& list, uint32_t& heir) {
  while (list != kNoBlock) {
    const uint32_t number = list;
    Block& block = blocks_[number];
    list = block.next;
    uint32_t& to = block.kept_for == ends_ ? heir : free_[block.size_class];
    block.next = to;
    to = number;
  }
  ++ends_;
}

}  // namespace sunmao::runtime
