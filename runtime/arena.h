// Arena: one growable block of CPU memory, for the tensors of one session or for weights of one model.
#pragma once
#include <cstdint>

#include "io/slot_places.h"
#include "io/status.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

using io::align_up;
using io::kStorageAlignment;

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Makes the arena hold at least `bytes`, at a page-aligned address. Growing loses the contents. After several calls
  /// in a row for much less than was needed before, the system gets the memory behind back. E0910 when `bytes` exceeds
  /// the machine's RAM plus swap (the arena stays as it is), or the system refuses (it is empty then).
  io::Status reserve(uint64_t bytes);
  Storage storage() const { return cpu_storage(base_); }
  uint64_t capacity() const { return capacity_; }

 private:
  void release();
  void give_back_unused(uint64_t bytes);

  void* base_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t used_ = 0;            // the most that was needed since memory was given back
  uint32_t small_in_a_row_ = 0;  // calls for much less than that
};

/// Fails (E0910) when `bytes` exceeds the machine's RAM plus swap.
io::Status check_memory(uint64_t bytes);

}  // namespace sunmao::runtime
