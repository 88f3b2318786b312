// Whether a module or a function is well formed: the verifier's rules for normal form, and calls of loop-level
// functions against their signatures.
#pragma once
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace sunmao {

struct WellFormedOptions {
  bool check_types = true;  // false: what has no type yet, and types that contradict each other, are no findings
};

/// What is wrong, in the order of the module; empty when it is well formed.
std::vector<Diagnostic> check_well_formed(const Module& module, WellFormedOptions options = {});
/// The same for a function alone, which may name functions that are not at hand.
std::vector<Diagnostic> check_well_formed(const Ref<Function>& function, WellFormedOptions options = {});

/// Functions whose stated result their bodies contradict (E0417) state what the bodies give.
Module with_computed_results(const Module& module);

}  // namespace sunmao
