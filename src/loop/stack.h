// Limit of the stack that the temporaries of a kernel may use, in bytes.
#pragma once
#include <cstdint>

namespace sunmao {

constexpr int64_t kMaxStackBytes = 512 << 10;

}  // namespace sunmao
