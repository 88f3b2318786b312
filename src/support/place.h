// The textual form of source locations.
#pragma once
#include <string>

#include "support/span.h"

namespace sunmao {

/// Returns text such as "model.py:12:5" or "model.onnx: node `MatMul_17`"; empty for a null span.
std::string place_of(const Span& span);

}  // namespace sunmao
