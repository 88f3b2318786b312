// Files of states: safetensors with a tensor for each state of a model, by its name.
#pragma once
#include <string>

#include "runtime/states.h"

namespace sunmao::runtime {

/// Writes the states to a file, atomically. E0925 when one was lost.
io::Status write_states(const Model& model, States& states, const std::string& path);

/// Gives the states the values in a file. Changes nothing when it fails: E0926 for a file that is not of states of this
/// model or whose digest is not that of its tensors, what reading a safetensors file fails with for a damaged one,
/// E0910 when there is no memory. A file without digest is read as well.
io::Status read_states(const Model& model, States& states, const std::string& path);

}  // namespace sunmao::runtime
