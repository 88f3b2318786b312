// The pass `fuse-ops`: moves groups of kernel calls into functions that carry `Primitive`, by the patterns that the
// kernels state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "ir/builder.h"
#include "ir/infer.h"
#include "ir/walk.h"
#include "passes/analysis/variables.h"
#include "passes/fuse/fusion_groups.h"
#include "passes/fuse/kernel_callee.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/pattern/binding_groups.h"
#include "passes/pattern/binding_order.h"
#include "passes/pattern/outline.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr const char* kMaxDepth = "relax.FuseOps.max_depth";
constexpr int64_t kDefaultDepth = 256;  // upstream's
// Tensors that a kernel reads which is fused with others. More have those that put many tensors together, a range of
// their result for each: with what computes these, and with others of their kind, they become kernels of thousands of
// loops.
constexpr size_t kMostOperands = 63;

std::string function_name(const std::vector<Binding>& members) {
  std::string name = "fused";
  for (const Binding& b : members)
    if (const GlobalVar* callee = kernel_callee(b.value)) name += "_" + callee->name;
  return name;
}

std::vector<Ref<Var>> packed_weights(const Function& f) {
  const int64_t* inputs = f.attrs.find<int64_t>("num_input");
  if (!inputs || *inputs < 0 || *inputs > static_cast<int64_t>(f.params.size())) return {};
  return {f.params.begin() + *inputs, f.params.end()};
}

class OpsFuser final : public Rewriter {
 public:
  /// `explain` is called with the bindings of a group and the name of their function, if it is set.
  using Explain = std::function<void(const std::vector<Binding>&, const std::string&)>;
  OpsFuser(BlockBuilder& functions, const Ref<Function>& function, size_t max_members, bool only_kernels,
           Explain explain)
      : functions_(functions), limits_{max_members, only_kernels ? kMostOperands : SIZE_MAX, packed_weights(*function),
                                       symbol_definers(*function), only_kernels},
        only_kernels_(only_kernels), values_(var_to_value(Expr(function))), explain_(std::move(explain)) {}

 private:
  using Rewriter::visit;

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& original) override {
    Ref<BindingBlock> block = Rewriter::visit_block(original);
    if (!block->is_dataflow) return block;
    const std::vector<std::vector<Binding>> groups = fusion_groups(functions_.module(), *block, limits_);
    if (groups.empty()) return block;
    std::vector<Binding> bindings = with_calls(*block, groups);
    auto no_cycle = [](const Var& v) { SUNMAO_CHECK(false, "fused functions need each other for {}", v.name); };
    return BindingBlock::make_dataflow(in_order(bindings, no_cycle, limits_.definers), block->span);
  }

  // Returns the bindings of the block with each group replaced by a call at its first binding. A group without uses is
  // omitted.
  std::vector<Binding> with_calls(const BindingBlock& block, const std::vector<std::vector<Binding>>& groups) {
    const BindingGroups found(block, {groups.begin(), groups.end()});
    std::vector<Binding> bindings;
    for (const Binding& b : block.bindings) {
      const std::optional<size_t> home = found.home(b.var);
      if (!home)
        bindings.push_back(b);
      else if (groups[*home].front().var == b.var && found.is_used(*home))
        add_call(groups[*home], found.outputs(*home), bindings);
    }
    return bindings;
  }

  // True when the group becomes one kernel of tensors alone.
  static bool is_kernel(const std::vector<Binding>& members, const std::vector<Ref<Var>>& outputs,
                        const Outlined& outlined) {
    const auto is_tensor = [](const auto& e) { return find<TensorType>(e->type) != nullptr; };
    const auto is_call = [](const Binding& b) { return kernel_callee(b.value) != nullptr; };
    // A kernel whose members change an operand would change it for whoever reads it besides.
    const auto changes = [](const Binding& b) { return find_call(b.value, "call_tir_inplace") != nullptr; };
    return std::ranges::count_if(members, is_call) > 1 && std::ranges::none_of(members, changes) &&
           std::ranges::all_of(outputs, is_tensor) && std::ranges::all_of(outlined.args, is_tensor);
  }

  void add_call(const std::vector<Binding>& members, const std::vector<Ref<Var>>& outputs,
                std::vector<Binding>& bindings) {
    SUNMAO_CHECK(outputs.size() == 1, "a group that ends at a post-dominator has one result");
    // The kernel that the others surround says where the group comes from.
    const auto anchor = std::ranges::max_element(members, {}, [&](const Binding& b) {
      const OpPattern pattern = pattern_of_call(functions_.module(), b.value);
      return pattern == OpPattern::Opaque ? -1 : static_cast<int>(pattern);
    });
    const Outlined outlined = outline(members, outputs, AttrMap{{"Primitive", true}}, {false, values_});
    if (only_kernels_ && !is_kernel(members, outputs, outlined)) {
      std::ranges::copy(members, std::back_inserter(bindings));
      return;
    }
    std::ranges::copy(outlined.fields, std::back_inserter(bindings));
    Ref<GlobalVar> callee = functions_.add_function(function_name(members), outlined.function);
    if (explain_) explain_(members, callee->name);
    Type type = infer_call(*find<CallableType>(outlined.function->type), outlined.args, {}, callee->name);
    Expr call = Call::make_typed(callee, outlined.args, {}, {}, type, anchor->value->span);
    bindings.push_back({outputs[0], call, nullptr, members.back().span});
  }

  BlockBuilder& functions_;
  const FusionLimits limits_;
  const bool only_kernels_;
  const std::unordered_map<Ref<Var>, Expr> values_;
  const Explain explain_;
};

std::string members_text(const std::vector<Binding>& members) {
  std::vector<std::string> texts;
  for (const Binding& b : members)
    if (const GlobalVar* callee = kernel_callee(b.value))
      texts.push_back(fmt::format("`{}` ({})", b.var->name, callee->name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

size_t max_members(const PassContext& ctx) {
  const auto option = ctx.config.find(kMaxDepth);
  if (option == ctx.config.end()) return kDefaultDepth;
  const int64_t* depth = option->second.find<int64_t>();
  if (!depth || *depth < 0) fail("E0514", {}, fmt::format("fuse-ops: `{}` must be a number, 0 or more", kMaxDepth));
  return static_cast<size_t>(*depth);
}

}  // namespace

Module fuse_ops(const Module& m, const PassContext& ctx) {
  const PassArguments arguments("fuse-ops", ctx);
  const int64_t given = arguments.int_("fuse_opt_level");
  const bool only_kernels = arguments.bool_("only_kernels");
  if ((given == -1 ? ctx.opt_level : given) == 0) return m;
  BlockBuilder functions(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || f->attrs.has("Primitive") || f->attrs.has("Codegen")) continue;
    OpsFuser::Explain explain;
    if (ctx.on_explain)
      explain = [&](const std::vector<Binding>& members, const std::string& name) {
        ctx.on_explain(fmt::format("{}: {} become {}", e.var->name, members_text(members), name));
      };
    Ref<Function> fused = OpsFuser(functions, f, max_members(ctx), only_kernels, std::move(explain)).rewrite(f);
    if (fused != f) changed.push_back({e.var, fused});
  }
  return changed.empty() ? m : functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
