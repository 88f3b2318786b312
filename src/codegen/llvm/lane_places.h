// The places of lanes whose distances are known, so that a vector load and a shuffle read what would else be gathered.
#pragma once
#include <optional>
#include <vector>

#include "sym/scalar.h"

namespace sunmao::llvm_codegen {

/// Lane i of an index is base + offsets[i]; a base that is constant is part of the offsets.
struct LanePlaces {
  Scalar base;
  std::vector<int64_t> offsets;
};

/// Returns the places of a vector of indices; nullopt when distances between lanes depend on a run.
std::optional<LanePlaces> find_lane_places(const Scalar& index);

}  // namespace sunmao::llvm_codegen
