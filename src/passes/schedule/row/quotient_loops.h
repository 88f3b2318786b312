// Loops that statements use by their quotients.
#pragma once
#include "passes/loop/store_nest.h"

namespace sunmao {

/// Splits loops of which elements use quotients, as the groups of channels: the quotients are a loop of their own.
StoreNest with_quotient_loops(StoreNest nest);

}  // namespace sunmao
