// The name of this machine's processor, under which measurements are kept.
#pragma once
#include <string>

namespace sunmao {

/// Returns the name that the kernel tells; "unknown" where it tells none.
std::string processor_name();

}  // namespace sunmao
