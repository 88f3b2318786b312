#include "support/depth.h"

#include "support/diagnostic.h"

namespace sunmao {

uint32_t limited_depth(uint32_t depth, const Span& span) {
  if (depth > kMaxDepth)
    fail("E0104", span, fmt::format("nested more than {} levels deep", kMaxDepth),
         "give parts of it names, or put them into functions of their own");
  return depth;
}

}  // namespace sunmao
