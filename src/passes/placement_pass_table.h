// The records of the passes that decide where values live: calls that fill memory, planned memory, lifted weights and
// virtual devices.
#pragma once
#include <vector>

#include "passes/passes.h"

namespace sunmao {

/// Returns them in the order of listings; all_passes has all.
std::vector<Pass> placement_passes();

}  // namespace sunmao
