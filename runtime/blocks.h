// Blocks: memory of a session's runs that outlives the functions that take it: what they deliver, what loops carry.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "io/status.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// Memory that is given back is used again, so a loop takes none after its first steps. A block is in a list, which the
/// number of its first block stands for.
class Blocks {
 public:
  Blocks() { free_.fill(kNoBlock); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks();

  /// Who takes blocks: their list, and a number by which they are known as his.
  struct Owner {
    uint32_t& list;
    size_t number;
  };

  /// Takes a block. E0910 when there is no memory for it.
  io::Result<uint32_t> take(uint64_t bytes, Owner owner);
  /// The same for a small block that is at hand; kNoBlock when there is none.
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
  /// Keeps a block from being given back by the next `end`, if that is of its list; does nothing for kNoBlock.
  void keep(uint32_t block) {
    if (block != kNoBlock) blocks_[block].kept_for = ends_;
  }
  /// Takes back what `keep` said since the last `end` or `hand_on`.
  void keep_none() { ++ends_; }
  bool is_kept(uint32_t block) const { return blocks_[block].kept_for == ends_; }
  /// Keeps a block, and marks it as lent until it is written or given back.
  void lend(uint32_t block) {
    keep(block);
    if (block != kNoBlock) blocks_[block].is_lent = true;
  }
  void write(uint32_t block) { blocks_[block].is_lent = false; }
  bool is_lent(uint32_t block) const { return blocks_[block].is_lent; }
  /// True for a block that this owner took or was left.
  bool is_of(uint32_t block, size_t owner) const { return block != kNoBlock && blocks_[block].owner == owner; }
  /// Makes a block one of another owner, who may change it; it stays in the list that it is in.
  void pass(uint32_t block, size_t owner) { blocks_[block].owner = owner; }
  /// Empties a list: kept blocks go to `heir`, others are given back.
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
  /// Gives back the blocks of the owner's list that are not kept; others become his.
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
  /// Gives back the one block of a list that has no other, or none.
  void give_back(uint32_t& list) {
    if (list != kNoBlock) free(list);
    list = kNoBlock;
  }
  /// True if memory of that size had better stay in this block; kNoBlock suits 0 bytes. A block that is not small is
  /// left when another size of block is enough.
  bool suits(uint32_t block, uint64_t bytes) const {
    if (block == kNoBlock) return bytes == 0;
    const Block& b = blocks_[block];
    if (b.size_class < kFirstLarge) return bytes <= uint64_t{1} << b.size_class;
    return bytes <= b.bytes && class_of(bytes) == b.size_class;
  }
  /// Moves kept blocks to `heir`; the list has the others.
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
