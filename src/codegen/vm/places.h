// Where tensors lie that calls change in place.
#pragma once
#include <functional>
#include <string>

#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Decides for each result of a call that changes an operand whether it is in the operand's memory: it is where the
/// function made the operand and nothing needs it any more; where the operand may be another function's, the machine
/// decides; else the operand is copied.
void find_places(FlatFunction& f, bool is_inner);

/// An intermediate that a result covers completely is stored directly in the result's memory; any other result is
/// copied.
void claim_results(FlatFunction& f);

/// Returns a function of the module that others call; the same one each time.
using FlatFunctions = std::function<const FlatFunction&(const std::string& name)>;

/// Finds the arguments of calls that nothing needs behind the call, and that a callee may change.
void find_gifts(FlatFunction& f, const FlatFunctions& functions);

}  // namespace sunmao
