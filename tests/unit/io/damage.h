// Generates malformed files from a valid one: truncated at every length, or with bytes changed by a seeded generator.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sunmao::io::test {

/// Calls visit(text) for every proper prefix of `text`, or for those whose sizes are multiples of `step`.
template <class Visit>
void for_every_cut(std::string_view text, Visit visit, size_t step = 1) {
  for (size_t size = 0; size < text.size(); size += step) visit(std::string(text.substr(0, size)));
}

/// Calls visit(text) for `count` copies in which up to four bytes are overwritten, deterministically.
template <class Visit>
void for_flipped_bytes(std::string_view text, int count, Visit visit) {
  uint64_t state = 0x9e3779b97f4a7c15;
  const auto random = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int i = 0; i < count; ++i) {
    std::string changed(text);
    for (uint64_t flips = random() % 4 + 1; flips > 0; --flips) {
      const uint64_t at = random() % changed.size();
      changed[at] = static_cast<char>(random() & 0xff);
    }
    visit(changed);
  }
}

}  // namespace sunmao::io::test
