// The pass `compute-in-bfloat16`: products and convolutions of float32 read their operands as bfloat16. What they
// multiply is exact in float32, in which they add and give their results; all other ops stay as they are.
//
// Weights are cast ahead of time, because that is work on weights alone, and take two bytes in file and memory. The
// cast of computed data is fused with the kernel that makes it.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

const DType kBfloat16{TypeCode::BFloat, 16}, kFloat32 = DType::float_(32);

DType dtype_of_tensor(const Expr& e) {
  const auto* tensor = find<TensorType>(e->type);
  return tensor ? tensor->dtype : DType();
}

/// True for a convolution each of whose channels has filters of its own: its few products move more bytes than a cast
/// saves, and no instruction takes them in pairs.
bool keeps_channels_apart(const Call& call) {
  const auto* groups = call.attrs.find<int64_t>("groups");
  const auto* layout = call.attrs.find<std::string>("data_layout");
  const auto* data = find<TensorType>(call.args[0]->type);
  if (!groups || *groups == 1 || !layout || !data->dims()) return false;
  const size_t channels = layout->find('C');
  if (channels >= data->dims()->size()) return false;
  const int64_t* count = find_int((*data->dims())[channels]);
  return count && *count == *groups;
}

/// Returns why a product stays as it is; empty where it is to read bfloat16.
std::string reason_against(const Call& call) {
  const auto is_float32 = [](const Expr& e) { return dtype_of_tensor(e) == kFloat32; };
  if (!std::ranges::all_of(call.args, [&](const Expr& a) { return is_float32(a) || dtype_of_tensor(a) == kBfloat16; }))
    return "an operand is not float32";
  if (std::ranges::none_of(call.args, is_float32)) return "its operands are bfloat16";
  if (dtype_of_tensor(Expr(&call)) != kFloat32) return "its result is not float32";
  return keeps_channels_apart(call) ? "each channel has filters of its own" : "";
}

class Bfloat16Computer final : public Rewriter {
 public:
  explicit Bfloat16Computer(const PassContext& ctx) : ctx_(ctx) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    binding_ = b.var->name;
    Rewriter::visit(b);
    in_block_.insert(b.var);
  }

  /// What is noted of a block ends with it: variables of a dataflow block are not visible behind it.
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    forget();
    Ref<BindingBlock> out = Rewriter::visit_block(block);
    forget();
    return out;
  }
  void forget() {
    in_block_.clear();
    narrow_.clear();
  }

  Expr visit(const Call& call) override {
    const Expr e = Rewriter::visit(call);
    const auto* own = find<Call>(e);
    const Op* op = own ? op_of(*own) : nullptr;
    const bool is_product = op && op->info.precision == Precision::Half && op->find_param("out_dtype");
    if (!is_product || own->args.size() != 2) return e;
    const std::string reason = reason_against(*own);
    if (ctx_.on_explain)
      ctx_.on_explain(fmt::format("compute-in-bfloat16: `{}`: {} {}", binding_, op->name(),
                                  reason.empty() ? "reads bfloat16" : "stays as it is: " + reason));
    if (!reason.empty()) return e;
    std::vector<Expr> args;
    for (const Expr& a : own->args) args.push_back(narrow(a));
    return Call::make(own->callee, std::move(args), own->attrs.with("out_dtype", kFloat32), own->type_args, own->span);
  }

  /// Returns a tensor of float32 as bfloat16; where it was that before, the tensor that it was made of.
  Expr narrow(const Expr& e) {
    if (dtype_of_tensor(e) == kBfloat16) return e;
    const Ref<Var> var = find_ref<Var>(e);
    if (const auto done = narrow_.find(var); var && done != narrow_.end()) return done->second;
    const Expr value = in_block_.contains(var) ? value_of(e) : nullptr;
    const Call* cast = value ? find_call(value, "astype") : nullptr;
    const bool is_widened = cast && find<Var>(cast->args[0]) && dtype_of_tensor(cast->args[0]) == kBfloat16;
    const Expr out =
        is_widened ? cast->args[0]
                   : emit(Call::make(builtin_ops().get("astype"), {e}, Attrs(AttrMap{{"dtype", kBfloat16}})), "lv");
    if (var) narrow_[var] = out;
    return out;
  }

  const PassContext& ctx_;
  std::string binding_;  // that is being visited
  std::unordered_set<Ref<Var>> in_block_;
  std::unordered_map<Ref<Var>, Expr> narrow_;  // tensors of the block as bfloat16
};

}  // namespace

Module compute_in_bfloat16(const Module& m, const PassContext& ctx) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return Bfloat16Computer(ctx).rewrite(f); });
}

}  // namespace sunmao
