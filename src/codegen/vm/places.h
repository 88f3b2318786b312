// Memory reuse: in which memory results of in-place calls, and results of the function, are stored.
#pragma once
#include <functional>
#include <string>

#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Decides for each result of an in-place call whether it reuses the operand's memory: always at the last use of an
/// operand that the function allocated; by a test at run time where another function may own the memory; else the
/// operand is copied.
void find_places(FlatFunction& f, bool is_inner);

/// An intermediate that a result covers completely is stored directly in the result's memory; any other result is
/// copied.
void claim_results(FlatFunction& f);

/// Returns a function of the module that others call; the same one each time.
using FlatFunctions = std::function<const FlatFunction&(const std::string& name)>;

/// Finds the arguments at their last use that a callee may update in place: their blocks are moved to it.
void find_gifts(FlatFunction& f, const FlatFunctions& functions);

}  // namespace sunmao
