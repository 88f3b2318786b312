// The version of the compiler, as it stands in artifacts and in `sunmao --version`.
#pragma once

namespace sunmao {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace sunmao
