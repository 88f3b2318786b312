// How much stack a kernel may take for its temporaries.
#pragma once
#include <cstdint>

namespace sunmao {

constexpr int64_t kMaxStackBytes = 512 << 10;

}  // namespace sunmao
