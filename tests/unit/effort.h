// How much a test does: a part of its cases under sanitizers, which take some 15 times as long.
#pragma once

namespace sunmao {

#ifdef SUNMAO_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// Returns whether a test does case `i` of many: all of them, or one of `share` under sanitizers.
inline bool is_chosen(unsigned i, unsigned share) { return !kIsSanitized || i % share == 0; }

}  // namespace sunmao
