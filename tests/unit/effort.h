// How much a test does: a part of its cases under sanitizers, which take some 15 times as long. With SUNMAO_WHOLE in
// the environment (`make test-whole`) all of them.
#pragma once
#include <cstdlib>

namespace sunmao {

/// Returns whether tests do a part of their cases.
inline bool is_in_part() {
#ifdef SUNMAO_SANITIZED
  static const bool is_whole = std::getenv("SUNMAO_WHOLE") != nullptr;
  return !is_whole;
#else
  return false;
#endif
}

/// Returns whether a test does case `i` of many: all of them, or one of `share`.
inline bool is_chosen(unsigned i, unsigned share) { return !is_in_part() || i % share == 0; }

}  // namespace sunmao
