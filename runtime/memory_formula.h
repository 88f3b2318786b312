// The memory that a function needs between its kernels, as a formula in the symbols of its inputs.
#pragma once
#include <string>

#include "runtime/program.h"

namespace sunmao::runtime {

/// Returns the most bytes that are in use at one time, such as "max(256*n + 1024, 512*n)": a session needs as much for
/// the function, or somewhat more where tensors do not fit into gaps. Empty where it would be no short formula.
std::string memory_formula(const ProgramTables& tables, const FunctionView& function);

}  // namespace sunmao::runtime
