// The records of the passes that make kernels of ops and lower them, and of those behind.
#pragma once
#include <vector>

#include "passes/passes.h"

namespace sunmao {

/// Returns them in the order of listings; all_passes has all.
std::vector<Pass> kernel_passes();

}  // namespace sunmao
