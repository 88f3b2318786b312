#include "runtime/known_starts.h"

#include <algorithm>

namespace sunmao::runtime {

bool KnownStarts::Moves::add(Move m) {
  if (all == kMostMoves) return false;
  move[all++] = m;
  return true;
}

void KnownStarts::Moves::order() {
  const auto end = move.begin() + moving;
  for (auto first = move.begin(); first != end; ++first) {
    const auto is_read = [&](uint32_t reg) { return std::any_of(first, end, [&](Move m) { return m.from == reg; }); };
    const auto next = std::find_if(first, end, [&](Move m) { return !is_read(m.to); });
    is_circle = next == end;
    if (is_circle) return;
    std::iter_swap(first, next);
  }
}

}  // namespace sunmao::runtime
