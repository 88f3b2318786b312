// The pass `compute-in-bfloat16`: products and convolutions of float32 read their operands as bfloat16. What they
// multiply is exact in float32, in which they add and give their results; all other ops stay as they are.
//
// Weights are cast ahead of time, because that is work on weights alone, and take two bytes in file and memory. The
// cast of computed data is fused with the kernel that makes it. Steps are taken in pairs: an odd number of channels is
// filled up with zeros where that pays, and products that have no pairs stay as they are.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "ops/algebra/rule.h"
#include "passes/algebra/bfloat16_product.h"
#include "passes/algebra/quantised.h"
#include "passes/algebra/step_rewriter.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

const DType kBfloat16{TypeCode::BFloat, 16}, kFloat32 = DType::float_(32);

bool reads_float32(const Expr& e) { return element_dtype(e) == kFloat32; }

/// Returns why the dtypes of a product keep it as it is; empty where they do not.
std::string reason_of_dtypes(const Call& call, size_t count) {
  const std::span operands = std::span(call.args).first(count);
  if (!std::ranges::all_of(operands, [](const Expr& a) { return reads_float32(a) || element_dtype(a) == kBfloat16; }))
    return "an operand is not float32";
  if (std::ranges::none_of(operands, reads_float32)) return "its operands are bfloat16";
  return reads_float32(Expr(&call)) ? "" : "its result is not float32";
}

/// Returns how many arguments are operands of products: those behind are a bias and a mask.
size_t count_operands(const Op& op) { return op.name() == "nn.product_attention" ? 3 : 2; }

/// Returns why an attention stays as it is; empty where it is to read bfloat16.
std::string reason_of_attention(const Call& call) {
  const int64_t width = tensor_size(call.args[0], tensor_rank(call.args[0]) - 1);
  return width % 2 != 0 || width == 0 ? "the width of its keys is odd or a symbol" : "";
}

class Bfloat16Computer final : public StepRewriter {
 public:
  Bfloat16Computer(const Function& f, const PassContext& ctx) : StepRewriter(f), ctx_(ctx) {}

 private:
  using StepRewriter::visit;

  void forget() override {
    StepRewriter::forget();
    narrow_.clear();
    filled_up_.clear();
  }

  Expr visit(const Call& call) override {
    const Expr e = StepRewriter::visit(call);
    const auto* own = find<Call>(e);
    const Op* op = own ? op_of(*own) : nullptr;
    const bool is_product = op && op->info.precision == Precision::Half && op->find_param("out_dtype");
    const size_t operands = op ? count_operands(*op) : 0;
    if (!is_product || own->args.size() < operands) return e;
    const std::optional<ProductSizes> sizes = product_sizes(*own);
    std::string reason = reason_of_dtypes(*own, operands);
    if (reason.empty() && operands > 2) reason = reason_of_attention(*own);
    if (reason.empty() && sizes) reason = reason_against_bfloat16(*sizes, is_known(own->args[1]));
    const bool has_rest = sizes && sizes->has_rest();
    if (ctx_.on_explain)
      ctx_.on_explain(fmt::format("compute-in-bfloat16: `{}`: {} {}", binding_, op->name(),
                                  !reason.empty() ? "stays as it is: " + reason
                                  : has_rest      ? "reads bfloat16, filled up to pairs"
                                                  : "reads bfloat16"));
    if (!reason.empty()) return e;
    span_ = own->span;
    std::vector<Expr> args;
    for (size_t i = 0; i < own->args.size(); ++i) args.push_back(i < operands ? narrow(own->args[i]) : own->args[i]);
    if (has_rest) {
      const ProductAxes axes = *product_axes(*own);
      args[0] = filled_up(args[0], axes.data);
      args[1] = filled_up(args[1], axes.weight_data);
    }
    return Call::make(own->callee, std::move(args), own->attrs.with("out_dtype", kFloat32), own->type_args, own->span);
  }

  /// Returns a tensor of float32 as bfloat16; where it was that before, the tensor that it was made of.
  Expr narrow(const Expr& e) {
    if (element_dtype(e) == kBfloat16) return e;
    const Ref<Var> var = find_ref<Var>(e);
    if (const auto done = narrow_.find(var); var && done != narrow_.end()) return done->second;
    const Call* cast = call_of(e, "astype");
    const bool is_widened = cast && find<Var>(cast->args[0]) && element_dtype(cast->args[0]) == kBfloat16;
    const Expr out = is_widened ? cast->args[0] : as(e, kBfloat16);
    if (var) narrow_[var] = out;
    return out;
  }

  /// Returns a tensor with zeros behind an axis of odd size.
  Expr filled_up(const Expr& e, int axis) {
    const auto key = std::pair(find_ref<Var>(e).get(), axis);
    if (const auto done = filled_up_.find(key); key.first && done != filled_up_.end()) return done->second;
    std::vector<int64_t> widths(2 * static_cast<size_t>(tensor_rank(e)), 0);
    widths[2 * static_cast<size_t>(axis) + 1] = 1;
    const Expr out = step("nn.pad", {e}, {{"pad_width", AttrValue::ints(widths)}});
    if (key.first) filled_up_[key] = out;
    return out;
  }

  const PassContext& ctx_;
  std::unordered_map<Ref<Var>, Expr> narrow_;             // tensors of the block as bfloat16
  std::map<std::pair<const Var*, int>, Expr> filled_up_;  // of those, with whole pairs along an axis
};

}  // namespace

Module compute_in_bfloat16(const Module& m, const PassContext& ctx) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return Bfloat16Computer(*f, ctx).rewrite(f); });
}

}  // namespace sunmao
