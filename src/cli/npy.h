// Reading of NumPy's .npy files.
#pragma once
#include <string>

#include "cli/host_tensor.h"

namespace sunmao::cli {

/// Fails with E0801 when the file cannot be opened, or E0011 when it is no array that a tensor can represent.
HostTensor read_npy(const std::string& path);

}  // namespace sunmao::cli
