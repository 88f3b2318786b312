// Loops whose steps give rows that are stacked, where a run decides how many.
#pragma once
#include "frontend/control_flow.h"
#include "frontend/onnx/node_context.h"

namespace sunmao::onnx {

struct Stack {
  int64_t axis = 0;
  bool is_backward = false;  // the last row comes first
};

/// Like `loop`, for steps that give, behind what they carry, a row for each of `stacks`. Returns what is carried, then
/// the stacks of `length` rows; null when a run decides.
std::vector<Expr> stacking_loop(const NodeContext& n, std::vector<Expr> start, const ReadStep& goes_on,
                                const ReadStep& step, const std::vector<Stack>& stacks, const Scalar& length,
                                const std::string& name);

}  // namespace sunmao::onnx
