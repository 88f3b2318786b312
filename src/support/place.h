// Where a span is, as people write it.
#pragma once
#include <string>

#include "support/span.h"

namespace sunmao {

/// "model.py:12:5", "model.onnx: node `MatMul_17`"; empty when the origin is unknown.
std::string place_of(const Span& span);

}  // namespace sunmao
