// A program as text for people: signatures, weights, kernels, and each instruction with its names.
#pragma once
#include <string>

#include "runtime/program.h"

namespace sunmao::runtime {

std::string disassemble(const Program& program);

/// `float32 (n, 4)`: the type and shape of a value, with symbols by name.
std::string describe(const ProgramTables& tables, const abi::ValueRecord& value);

}  // namespace sunmao::runtime
