#include "tests/random/nudged_module.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "eval/element.h"
#include "ir/builder.h"
#include "ir/copy.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

constexpr std::array<std::string_view, 4> kNormalisations{"nn.layer_norm", "nn.group_norm", "nn.instance_norm",
                                                          "nn.rms_norm"};

Expr op_call(const char* op, std::vector<Expr> args, AttrMap attrs = {}) {
  return Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)));
}

// Multiplies the weights of a normalisation by a number that is nearly 1.
Expr with_other_weights(BlockBuilder& b, const Call& normalisation, int number) {
  std::vector<Expr> args = normalisation.args;
  const DType dtype = find<TensorType>(args[1]->type)->dtype;
  if (dtype != DType::float_(32) && dtype != DType::float_(64)) return Ref<Call>(&normalisation);
  const double steps = std::ldexp(1 + number / 2, dtype.bits == 64 ? -50 : -21);
  ArrayBuilder factor(dtype, {});
  store_element(dtype, factor.data(), 0, float_number(number % 2 == 0 ? 1 + steps : 1 - steps));
  args[1] = b.emit(op_call("multiply", {args[1], Constant::make(std::move(factor).finish())}));
  return Call::make(normalisation.callee, std::move(args), normalisation.attrs);
}

// Returns a product over axes that multiplies its elements in another order.
Expr reordered(BlockBuilder& b, const Call& prod, int number) {
  Expr x = prod.args[0];
  std::vector<int64_t> axes(static_cast<size_t>(std::max(find<TensorType>(x->type)->rank, 0)));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  const AttrValue* chosen = prod.attrs.find("axis");
  if (chosen && !chosen->is_none()) axes = chosen->as_ints().value();
  if (number / 2 % 2 != 0) std::ranges::reverse(axes);
  for (const int64_t axis : axes)
    x = b.emit(number % 2 == 0 ? op_call("flip", {x}, {{"axis", axis}})
                               : op_call("prod", {x}, {{"axis", AttrValue::ints({axis})}, {"keepdims", int64_t{1}}}));
  return Call::make(prod.callee, {x}, prod.attrs);
}

}  // namespace

Module nudged_module(const Module& straight, int number) {
  const auto& main = *straight.find_as<Function>("main");
  BlockBuilder b;
  FreshCopy copy;
  b.begin_dataflow();
  for (const Ref<BindingBlock>& block : main.body->blocks)
    for (const Binding& binding : block->bindings) {
      Expr value = copy.copy(binding.value);
      const auto* call = find<Call>(value);
      const auto* op = call ? find<Op>(call->callee) : nullptr;
      if (op && op->name() == "prod") value = reordered(b, *call, number);
      if (op && std::ranges::find(kNormalisations, op->name()) != kNormalisations.end())
        value = with_other_weights(b, *call, number);
      const Expr var = binding.is_match_cast() ? b.match_cast(value, copy.copy(binding.cast_type)) : b.emit(value);
      copy.map(binding.var, var);
    }
  const Expr result = b.emit_output(copy.copy(main.body->body));
  b.end_dataflow();
  return straight.with_function("main", b.finish_function(main.params, result, main.attrs));
}

}  // namespace sunmao
