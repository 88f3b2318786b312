// Converters that join tensors: Concat.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results concat(const NodeContext& n) {
  std::vector<Expr> parts;
  for (size_t i = 0; i < n.input_count(); ++i) parts.push_back(n.tensor(i));
  if (parts.empty()) n.fail("it has no inputs");
  if (parts.size() == 1) return parts[0];
  return joined(n, std::move(parts), n.int_attr("axis", 1));
}

}  // namespace

std::vector<Converter> join_converters() { return {{"Concat", 4, concat, "`R.concat`"}}; }

}  // namespace sunmao::onnx
