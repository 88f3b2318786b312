// Maps of indices turned round: maps that cut indices into parts and join parts, as layouts do.
#pragma once
#include "sym/index_map.h"

namespace sunmao {

/// The map from the images of indices below `extents` back to them. Null where a part of an index is lost, comes twice
/// or is joined in another way than by places, as digits are.
Ref<IndexMap> inverse_of(const IndexMap& map, std::span<const Scalar> extents);

}  // namespace sunmao
