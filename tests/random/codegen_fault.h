// Checks of compiled code on random modules.
#pragma once
#include <cstdint>
#include <string>

namespace sunmao {

struct CodegenRun {
  std::string fault;        // where results differ from the evaluator's; empty when they agree
  bool is_refused = false;  // bytecode cannot express it (E1020)
  unsigned constructs = 0;  // of the module (tests/random/constructs.h)
};
/// Compiles the random module of a seed, at an optimisation level, for an instruction set and with a number of threads
/// that the seed says, runs it and compares.
CodegenRun run_codegen(uint64_t seed);

}  // namespace sunmao
