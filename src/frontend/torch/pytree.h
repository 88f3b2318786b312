// How a program's arguments and results are nested: the text that torch.utils._pytree writes for a structure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "io/json.h"

namespace sunmao::torch {

/// Returns for each leaf of the arguments its place in the words of guards, such as L['x'][0]; empty where the
/// structure holds something other than tuples, lists and dictionaries. Nothing when the signature cannot be read.
std::vector<std::string> argument_places(io::JsonValue signature);

/// What stands at a leaf of a structure.
struct Leaf {
  std::optional<size_t> tensor;  // its number among the inputs or results of `main`
  bool is_number = false;        // a number, which `main` returns as a tensor
  bool is_complex = false;       // complex numbers, which `main` returns as their parts
  io::JsonValue constant = {};   // else a number, a text or null that was the same in the export
};

/// Returns the nesting as the JSON text of attribute `nesting` (docs/artifact.md); nothing when arguments and results
/// are tensors of real numbers alone, one by one, or when the signature cannot be read.
std::optional<std::string> nesting_text(io::JsonValue module, const std::vector<Leaf>& inputs,
                                        const std::vector<Leaf>& results);

}  // namespace sunmao::torch
