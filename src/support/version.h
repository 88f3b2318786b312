// The compiler's version, recorded in artifacts and printed by `sunmao --version`.
#pragma once

namespace sunmao {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace sunmao
