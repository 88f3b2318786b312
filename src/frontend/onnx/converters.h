// The table of all converters of ONNX ops.
#pragma once
#include <string_view>
#include <vector>

#include "frontend/onnx/node_context.h"

namespace sunmao::onnx {

/// The opsets of the domain `ai.onnx` that are read.
inline constexpr int64_t kOldestOpset = 7, kNewestOpset = 28;

/// Returns the rows of all families.
const std::vector<Converter>& all_converters();

/// Returns "Conv", or with another domain than that of ONNX "com.microsoft::FusedMatMul".
std::string op_name(const Node& node);

/// Returns which form of an op that is not read comes closest, such as "it is read from opset 9 on"; empty for none.
std::string nearest_form(const std::string& op);

/// Returns the row for nodes of an op in models of an opset; null when there is none.
const Converter* find_converter(std::string_view op, int64_t opset);

}  // namespace sunmao::onnx
