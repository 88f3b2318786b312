// One block of zero-filled or reused CPU memory that grows on demand and is never shared between sessions.
#pragma once
#include <cstdint>

#include "io/status.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

inline constexpr uint64_t kStorageAlignment = 64;  // bytes: a cache line, and the widest vector

/// The next multiple of kStorageAlignment; `bytes` is at most 2^62.
constexpr uint64_t align_up(uint64_t bytes) {
  return (bytes + (kStorageAlignment - 1)) / kStorageAlignment * kStorageAlignment;
}

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// At least `bytes`, aligned to a page. Growing loses the contents. More than the machine's memory is refused
  /// (E0910) without being asked for.
  io::Status reserve(uint64_t bytes);
  Storage storage() const { return cpu_storage(base_); }
  uint64_t capacity() const { return capacity_; }

 private:
  void release();

  void* base_ = nullptr;
  uint64_t capacity_ = 0;
};

/// E0910 when no machine like this one could hold that many bytes.
io::Status check_memory(uint64_t bytes);

}  // namespace sunmao::runtime
