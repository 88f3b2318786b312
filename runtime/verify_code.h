// The part of the bytecode verifier that looks at instructions.
#pragma once
#include "runtime/program.h"

namespace sunmao::runtime {

/// Checks the words of one function of tables that are sound; E0855 names the function, the word and the instruction.
io::Status verify_code(const ProgramTables& tables, const abi::FunctionRecord& function);

}  // namespace sunmao::runtime
