// Where a node of an exported program comes from: its name, the module path, the Python line.
#pragma once
#include <string>

#include "io/json.h"

namespace sunmao::torch {

/// "node `linear` in `fc1` (`model.py:31`)", as far as the exporter recorded it.
std::string describe_origin(io::JsonValue node);

}  // namespace sunmao::torch
