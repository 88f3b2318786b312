// The schedules of contractions: tiles of rows and columns in registers, windows, and dot products.
#pragma once
#include "passes/schedule/family.h"

namespace sunmao {

/// Sums of products, each with the elementwise statement behind it. Those that have no contiguous columns, or too few
/// rows to pay for packing them, are left to other families.
extern const Family kContractionFamily;

}  // namespace sunmao
