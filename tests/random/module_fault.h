// Checks a random module: by the verifier, by printing and parsing, and under all passes.
#pragma once
#include <cstdint>
#include <string>

#include "ir/module.h"

namespace sunmao {

/// Builds the module of a seed and describes the first fault; empty when there is none. Faults: the module does not
/// verify, its printed text parses to a different module, its results differ from those of the unstructured bindings,
/// or a pass fails, changes its input, gives a module that does not verify, or changes the results.
std::string find_fault(uint64_t seed);

/// Prints a module and parses the text; describes where the parsed module differs, empty when it does not.
std::string fault_of_text(const Module& module);

}  // namespace sunmao
