// Checks of compiled code on random modules.
#pragma once
#include <cstdint>
#include <string>

namespace sunmao {

/// Compiles the random module of a seed, at an optimisation level, for an instruction set and with a number of threads
/// that the seed says, and returns where its results differ from the evaluator's; empty when they agree.
std::string find_codegen_fault(uint64_t seed);

}  // namespace sunmao
