// A program that calls functions of the host, and one whose caller passes sizes, for the runtime's tests.
#pragma once
#include "tests/unit/runtime/sizes_program.h"

namespace sunmao::runtime::testing {

/// twice(x: (n,)) -> what the host's function `scale(float32[1], 2)` gives, as large as x; any(x) -> the same, of any
/// size; swap(s: sizes (a, b)) -> int64 (2,): b, a. The inner functions are 3 (of the host) and 4. `body` is how
/// `twice` goes on behind `Param`; null: as above.
std::vector<uint8_t> host_program(const Body& body = nullptr);

}  // namespace sunmao::runtime::testing
