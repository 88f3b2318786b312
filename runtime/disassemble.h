// Disassembler: prints a program as text: its weights, its kernels, and each function with its parameters, results and
// instructions.
#pragma once
#include <string>

#include "runtime/program.h"

namespace sunmao::runtime {

std::string disassemble(const Program& program);

/// Returns the type and shape of a value, such as `float32 (n, 4)`, with symbols by name.
std::string describe(const ProgramTables& tables, const abi::ValueRecord& value);

}  // namespace sunmao::runtime
