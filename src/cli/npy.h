// NumPy's .npy files, read.
#pragma once
#include <string>

#include "cli/host_tensor.h"

namespace sunmao::cli {

/// Fails with E0801 when there is no such file, E0011 when it is no array that a tensor can hold.
HostTensor read_npy(const std::string& path);

}  // namespace sunmao::cli
