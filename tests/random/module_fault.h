// What is wrong with how a random module verifies, reads back from its text, and goes through the passes.
#pragma once
#include <cstdint>
#include <string>

#include "ir/module.h"

namespace sunmao {

/// The first fault of the module of this seed: it does not verify, its text does not read back, or a pass changes what
/// it computes. Empty when there is none.
std::string find_fault(uint64_t seed);

/// Where the text of a module reads back as something else; empty when it does not.
std::string fault_of_text(const Module& module);

}  // namespace sunmao
