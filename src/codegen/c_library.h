// The C library that this process runs with.
#pragma once
#include <string>
#include <vector>

namespace sunmao {

/// Returns the paths of its parts, the loader included: what is linked with them runs where this process does.
std::vector<std::string> c_library();

}  // namespace sunmao
