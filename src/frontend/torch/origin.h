// The origin of a node in an exported program: its name, module path and Python line.
#pragma once
#include <string>

#include "io/json.h"

namespace sunmao::torch {

/// Returns text such as "node `linear` in `fc1` (`model.py:31`)", as far as the exporter recorded it.
std::string describe_origin(io::JsonValue node);

}  // namespace sunmao::torch
