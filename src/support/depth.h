// Nesting depth of nodes. It is limited at construction, because traversals are recursive.
#pragma once
#include <algorithm>
#include <ranges>

#include "support/ref.h"
#include "support/span.h"

namespace sunmao {

#ifdef SUNMAO_SANITIZED
constexpr uint32_t kMaxDepth = 2200;  // stack frames are several times larger under sanitizers
#else
constexpr uint32_t kMaxDepth = 4000;
#endif

namespace depth_detail {

template <class T>
uint32_t levels(const Ref<T>& part) {
  return part ? part->depth() + 1 : 0;
}
template <std::ranges::range Parts>
uint32_t levels(const Parts& parts) {
  uint32_t most = 0;
  for (const auto& part : parts) most = std::max(most, levels(part));
  return most;
}

}  // namespace depth_detail

/// Returns 1 + the maximum depth of `parts` (nodes and lists of nodes); 0 when there are none.
template <class... Parts>
uint32_t depth_over(const Parts&... parts) {
  uint32_t most = 0;
  ((most = std::max(most, depth_detail::levels(parts))), ...);
  return most;
}

/// Returns `depth`; fails (E0104) when it exceeds the limit.
uint32_t limited_depth(uint32_t depth, const Span& span);

}  // namespace sunmao
