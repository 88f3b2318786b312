// How a program's arguments are nested: the text that torch.utils._pytree writes for a structure.
#pragma once
#include <string>
#include <vector>

#include "io/json.h"

namespace sunmao::torch {

/// Returns for each leaf of the arguments its place in the words of guards, such as L['x'][0]; empty where the
/// structure holds something other than tuples, lists and dictionaries. Nothing when the signature cannot be read.
std::vector<std::string> argument_places(io::JsonValue signature);

}  // namespace sunmao::torch
