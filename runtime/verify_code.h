// Bytecode verifier for instructions.
#pragma once
#include "runtime/program.h"

namespace sunmao::runtime {

/// Verifies the words of function number `function`, given valid tables; E0855 names the function, the word and, once
/// it is decoded, the instruction.
io::Status verify_code(const ProgramTables& tables, size_t function);

}  // namespace sunmao::runtime
