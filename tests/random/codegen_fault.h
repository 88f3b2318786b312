// Checks of compiled code on random modules.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace sunmao {

/// Each module is run in this many ways: compiled at both optimisation levels, each with one and with two threads.
inline constexpr int kWays = 4;

/// Why a module is not compared in all ways: bytecode cannot express everything (E1020), and work on weights whose
/// result is no array stays out of artifacts (E0521).
enum class Omission : uint8_t { Bytecode, NoArray };
inline constexpr std::array kOmissions = {"E1020", "E0521"};

struct CodegenRun {
  std::string fault;        // where results differ from the evaluator's; empty when they agree
  unsigned pardons = 0;     // bit i: a difference was pardoned for kPardons[i] (tests/random/pardons.h)
  unsigned omissions = 0;   // bit i: not compared in all ways for kOmissions[i]
  unsigned constructs = 0;  // of the module (tests/random/constructs.h)
  bool is_large = false;
};
/// Compiles and runs the random module of a seed in each way and compares with the evaluator. The instruction set, if
/// `target` is empty, what becomes of weights, and whether the module has structure depend on seed and optimisation
/// level.
CodegenRun run_codegen(uint64_t seed, const std::string& target = "");

}  // namespace sunmao
