// Places of slots in the memory of a function: slots that are never in use at the same time may share it. The compiler
// shows the places that the runtime gives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sunmao::io {

inline constexpr uint64_t kStorageAlignment = 64;  // bytes: a cache line, and the widest vector

/// Rounds up to a multiple of kStorageAlignment; `bytes` is at most 2^62.
constexpr uint64_t align_up(uint64_t bytes) {
  return (bytes + (kStorageAlignment - 1)) / kStorageAlignment * kStorageAlignment;
}

/// The times of the first and the last use of a slot; `first` is greater where it is not used.
struct SlotLife {
  size_t first = SIZE_MAX, last = 0;
};

struct SlotPlaces {
  std::vector<uint64_t> offsets;  // multiples of kStorageAlignment
  uint64_t bytes = 0;             // of all slots together
  uint64_t live_bytes = 0;        // the most that are alive at one time: no places need less
};

/// Places slots of the given sizes so that those whose lives overlap do not overlap. Nullopt when they need more than
/// `limit` bytes.
std::optional<SlotPlaces> place_slots(std::span<const uint64_t> sizes, std::span<const SlotLife> lives, uint64_t limit);

}  // namespace sunmao::io
