// Suggestions of similar names: io/spelling.h in the compiler's namespace.
#pragma once
#include "io/spelling.h"

namespace sunmao {

using io::did_you_mean;
using io::edit_distance;

}  // namespace sunmao
