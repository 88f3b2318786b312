// A program whose sessions keep state, for the runtime's tests.
#pragma once
#include "tests/unit/runtime/sizes_program.h"

namespace sunmao::runtime::testing {

/// States: `sum`, 3 zeros; `row`, at first the weight (10, 20, 30); `grown`, (n,), at first empty.
///   add(x: (3,), sum) -> sum * sum; sum + x, in place
///   follow(x: (3,), sum) -> the same, made by an inner function
///   peek(sum) -> sum * sum, where nothing changes the state
///   swap(row, sum) -> row; then row and sum are what sum was
///   take(a: (3,)) -> a; and so is row
///   check(x: (n,), sum, row) -> x; sum * sum, in place, and row; fails when n is 13
///   grow(x: (n,), grown: (m,)) -> grown; x, of up to 64 elements
/// `body` is how `add` goes on behind `Layout`; null: as above.
std::vector<uint8_t> state_program(const Body& body = nullptr);

/// The numbers of states as values are bound to them.
inline constexpr uint32_t kSum = abi::kState, kRow = abi::kState + 1, kGrown = abi::kState + 2;

}  // namespace sunmao::runtime::testing
