// Places of slots in the memory of a function: slots that are never in use at the same time may share it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/program.h"

namespace sunmao::runtime {

/// The words of the first and the last instruction that uses a slot; `first` is greater where none does.
struct SlotLife {
  size_t first = SIZE_MAX, last = 0;
};

/// Returns the lives of a function's slots, from its body.
std::vector<SlotLife> slot_lives(const ProgramTables& tables, const FunctionView& function);

struct SlotPlaces {
  std::vector<uint64_t> offsets;  // multiples of kStorageAlignment
  uint64_t bytes = 0;             // of all slots together
  uint64_t live_bytes = 0;        // the most that are alive at one time: no places need less
};

/// Places slots of the given sizes so that those whose lives overlap do not overlap. Nullopt when they need more than
/// `limit` bytes.
std::optional<SlotPlaces> place_slots(std::span<const uint64_t> sizes, std::span<const SlotLife> lives, uint64_t limit);

}  // namespace sunmao::runtime
