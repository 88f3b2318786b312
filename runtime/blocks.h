// Blocks: the heap of a session's runs, for tensors that outlive the function that allocates them: results that are
// delivered, values that loops carry.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "io/status.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// An allocator with a free list for each size class, so that a loop allocates nothing after its first iterations. Each
/// block in use is in the list of one activation, which frees it at its end unless it is kept, and has one owner, who
/// alone may write to it. A list is named by its first block.
class Blocks {
 public:
  Blocks() { free_.fill(kNoBlock); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks();

  /// An owner: the list of its blocks, and the number that marks them as its own.
  struct Owner {
    uint32_t& list;
    size_t number;
  };

  /// Allocates a block. E0910 when there is no memory for it.
  io::Result<uint32_t> take(uint64_t bytes, Owner owner);
  /// Allocates a small block from its free list; kNoBlock when that is empty.
  uint32_t take_free(uint64_t bytes, Owner owner) {
    const uint32_t size_class = class_of(bytes);
    if (size_class >= kFirstLarge || free_[size_class] == kNoBlock) return kNoBlock;
    const uint32_t number = free_[size_class];
    free_[size_class] = blocks_[number].next;
    blocks_[number].next = owner.list;
    blocks_[number].owner = owner.number;
    return owner.list = number;
  }
  const Storage& storage(uint32_t block) const { return blocks_[block].storage; }
  /// Marks a block as live for the next `end` of its list, which would free it; does nothing for kNoBlock.
  void keep(uint32_t block) {
    if (block != kNoBlock) blocks_[block].kept_for = ends_;
  }
  /// Clears all marks of `keep` since the last `end` or `hand_on`.
  void keep_none() { ++ends_; }
  bool is_kept(uint32_t block) const { return blocks_[block].kept_for == ends_; }
  /// Keeps a block, and marks it as borrowed until it is written or freed.
  void lend(uint32_t block) {
    keep(block);
    if (block != kNoBlock) blocks_[block].is_lent = true;
  }
  void write(uint32_t block) { blocks_[block].is_lent = false; }
  bool is_lent(uint32_t block) const { return blocks_[block].is_lent; }
  /// True for a block that this owner allocated or that was moved to it.
  bool is_of(uint32_t block, size_t owner) const { return block != kNoBlock && blocks_[block].owner == owner; }
  /// Moves the ownership of a block, and with it the right to write; the block stays in its list.
  void pass(uint32_t block, size_t owner) { blocks_[block].owner = owner; }
  /// Empties a list: kept blocks move to `heir`, others are freed.
  void end(uint32_t& list, Owner heir) {
    for (uint32_t number = list; number != kNoBlock;) {
      Block& block = blocks_[number];
      const uint32_t next = block.next;
      const bool is_kept = block.kept_for == ends_;
      uint32_t& to = is_kept ? heir.list : free_[block.size_class];
      block.owner = heir.number;
      block.is_lent = block.is_lent && is_kept;
      block.next = to;
      to = number;
      number = next;
    }
    list = kNoBlock;
    ++ends_;
  }
  /// Frees the blocks of the owner's list that are not kept, and makes it the owner of the others.
  void end(Owner owner) {
    uint32_t* link = &owner.list;
    for (uint32_t number = owner.list; number != kNoBlock;) {
      Block& block = blocks_[number];
      const uint32_t next = block.next;
      if (block.kept_for == ends_) {
        block.owner = owner.number;
        *link = number;
        link = &block.next;
      } else {
        free(number);
      }
      number = next;
    }
    *link = kNoBlock;
    ++ends_;
  }
  /// Frees the block of a list of at most one.
  void give_back(uint32_t& list) {
    if (list != kNoBlock) free(list);
    list = kNoBlock;
  }
  /// True if the capacity of this block suits that many bytes: it is enough and, of a large block, not of a larger size
  /// class. kNoBlock suits 0 bytes.
  bool suits(uint32_t block, uint64_t bytes) const {
    if (block == kNoBlock) return bytes == 0;
    const Block& b = blocks_[block];
    if (b.size_class < kFirstLarge) return bytes <= uint64_t{1} << b.size_class;
    return bytes <= b.bytes && class_of(bytes) == b.size_class;
  }
  /// Moves kept blocks to `heir`; the others stay in the list.
  void hand_on(uint32_t& list, Owner heir);

  /// Returns how many blocks the system gave; for tests and statistics.
  size_t count() const { return blocks_.size(); }

 private:
  struct Block {
    Storage storage;
    uint32_t size_class;
    uint32_t next;
    uint64_t kept_for;  // the number of an `end`
    uint64_t bytes;     // of a large block: the most that were asked for; 0 for one without memory
    size_t owner;       // of a block that is in use
    bool is_lent = false;
  };
  // Sizes are powers of two. Small blocks are pieces of chunks. Of large ones, what is beyond the bytes asked for is
  // only address space: no page of it is touched.
  static constexpr uint32_t kSmallest = 6, kFirstLarge = 16, kClasses = 48;
  static constexpr uint64_t kChunk = uint64_t{1} << 20;

  static uint32_t class_of(uint64_t bytes) {
    return std::max(kSmallest, static_cast<uint32_t>(std::bit_width(std::max<uint64_t>(bytes, 1) - 1)));
  }

  struct Mapping {
    std::byte* base;
    uint64_t bytes;
  };

  void free(uint32_t number) {
    Block& block = blocks_[number];
    block.is_lent = false;
    block.next = free_[block.size_class];
    free_[block.size_class] = number;
  }

  io::Result<uint32_t> make(uint64_t bytes, uint32_t size_class);
  io::Result<std::byte*> map(uint64_t size, uint64_t bytes);
  /// Gives the memory of large free blocks back to the system.
  void trim();

  std::vector<Block> blocks_;
  std::array<uint32_t, kClasses> free_;
  uint32_t without_memory_ = kNoBlock;  // a list
  std::vector<std::byte*> chunks_;
  Mapping rest_ = {nullptr, 0};  // of the newest chunk
  uint64_t ends_ = 1;            // number of the next `end`
  uint64_t bytes_ = 0;           // of chunks, and of large blocks as asked for
};

}  // namespace sunmao::runtime
