// Checks a random module: the verifier, printing and parsing, and all passes.
#pragma once
#include <cstdint>
#include <string>

#include "ir/module.h"

namespace sunmao {

/// Returns the first fault of the module of a seed: it does not verify, its printed text parses to a different module,
/// it differs from its straight line in results, or a pass fails, changes its input, gives a module that does not
/// verify, or changes the results. Empty when there is none.
std::string find_fault(uint64_t seed);

/// Parses the printed text of a module; returns where the result differs from the module, empty when it does not.
std::string fault_of_text(const Module& module);

}  // namespace sunmao
