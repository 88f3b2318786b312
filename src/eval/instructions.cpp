#include "eval/instructions.h"

namespace sunmao {

std::optional<Value> run_instruction(const Op& op, const std::vector<Value>& args) {
  if (op.name() == "shape_of") return Value(ShapeValue(args[0].array()->shape()));
  if (op.name() == "tensor_to_shape") {
    const auto elements = args[0].array()->as<int64_t>();
    return Value(ShapeValue(elements.begin(), elements.end()));
  }
  if (op.name() == "null_value") return Value();
  return std::nullopt;
}

}  // namespace sunmao
