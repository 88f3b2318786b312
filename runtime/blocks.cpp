#include "runtime/blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "io/concat.h"
#include "runtime/arena.h"

namespace sunmao::runtime {

Blocks::~Blocks() {
  for (const Block& block : blocks_) ::munmap(cpu_address(block.storage), size_t{1} << block.size_class);
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
  SUNMAO_TRY(check_memory(bytes_ + bytes));
  void* memory = size_class < kClasses ? ::mmap(nullptr, size_t{1} << size_class, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                       : MAP_FAILED;
  if (memory == MAP_FAILED)
    return io::Status::error(
        "E0910", io::concat("this run needs ", bytes, " bytes more of memory, and the system does not give them"),
        "use smaller dimensions, or a machine with more memory");
  bytes_ += bytes;
  blocks_.push_back({cpu_storage(memory), size_class, kNoBlock, 0});
  return static_cast<uint32_t>(blocks_.size() - 1);
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
