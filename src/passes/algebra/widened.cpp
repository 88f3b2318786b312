#include "passes/algebra/widened.h"

#include "ops/algebra/rule.h"

namespace sunmao {

std::optional<Quantised> read_widened(const Call& call) {
  constexpr int kMostBits = 16;
  const Op* op = op_of(call);
  const bool is_dequantize = op && op->name() == "dequantize";
  if (!is_dequantize && (!op || op->name() != "astype")) return std::nullopt;
  const DType from = element_dtype(call.args[0]), to = element_dtype(Expr(&call));
  const bool is_number = from.is_float() || from.is_int() || from.is_uint();
  if (!is_number || !to.is_float() || from.bits > kMostBits || from.bits >= to.bits) return std::nullopt;
  return is_dequantize ? quantised_operands(call) : Quantised{.values = call.args[0], .scale = {}, .zero = {}};
}

int64_t bytes_of_widening(const Call& widening) {
  return element_count(widening.args[0]) *
         (element_dtype(Expr(&widening)).bytes() - element_dtype(widening.args[0]).bytes());
}

int64_t element_count(const Expr& tensor) {
  const auto* type = find<TensorType>(tensor->type);
  if (!type || !type->dims()) return 0;
  int64_t count = 1;
  for (const Scalar& size : *type->dims()) count *= find_int(size) ? *find_int(size) : 0;
  return count;
}

}  // namespace sunmao
