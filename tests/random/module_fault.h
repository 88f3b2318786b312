// Checks a random module: the verifier, printing and parsing, and all passes.
#pragma once
#include <cstdint>
#include <string>

#include "ir/module.h"

namespace sunmao {

/// Returns the first fault of the module of a seed: it does not verify, its printed text parses to a different module,
/// or a pass changes its results. Empty when there is none.
std::string find_fault(uint64_t seed);

/// Parses the printed text of a module; returns where the result differs from the module, empty when it does not.
std::string fault_of_text(const Module& module);

}  // namespace sunmao
