// The numbers by which functions of upstream's virtual machine say what to do with slots of a heap of sizes.
#pragma once
#include <cstdint>

namespace sunmao {

/// What `vm.builtin.match_shape` does with one size, as upstream numbers it.
enum class MatchCode : uint8_t { EqualsNumber = 0, Store = 1, Nothing = 2, EqualsSlot = 3 };
/// Where `vm.builtin.make_shape` takes one size from.
enum class MakeCode : uint8_t { Number = 0, Slot = 1 };

}  // namespace sunmao
