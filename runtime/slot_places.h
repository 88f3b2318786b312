// Lives of slots in the body of a function.
#pragma once
#include "io/slot_places.h"
#include "runtime/program.h"

namespace sunmao::runtime {

using io::SlotLife;

/// Returns the lives of a function's slots, in words of its body.
std::vector<SlotLife> slot_lives(const ProgramTables& tables, const FunctionView& function);

}  // namespace sunmao::runtime
