// Reading of NumPy's .npy files.
#pragma once
#include <string>

#include "cli/host_tensor.h"

namespace sunmao::cli {

/// Reads an array. Fails with E0011 when the file holds none that a tensor can represent, or with a code of io/ when it
/// cannot be opened.
HostTensor read_npy(const std::string& path);

}  // namespace sunmao::cli
