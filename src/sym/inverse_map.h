// Inversion of index maps that split indices into parts and join parts, as layouts do.
#pragma once
#include "sym/index_map.h"

namespace sunmao {

/// Returns the inverse of the map on indices below `extents`. Null when a part of an index is lost or used twice, or
/// when parts are not joined like the digits of a mixed-radix number.
Ref<IndexMap> inverse_of(const IndexMap& map, std::span<const Scalar> extents);

}  // namespace sunmao
