// The pass `lift-temporaries`: turns a temporary of a kernel that is large, even after scheduling, into an
// additional result of the kernel that nothing uses. Memory planning then allocates it like any other tensor.
#include <algorithm>

#include "ir/builder.h"
#include "loop/builder.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/lower/large_temporaries.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

struct Lifted {
  Ref<GlobalVar> var;
  std::vector<Ref<Buffer>> temporaries;
};

class Lifter final : public Rewriter {
 public:
  Lifter(const Module& m, const Target& target) : module_(m), target_(target), functions_(m) {}
  Module run() {
    Module rewritten = map_functions(module_, [&](const Ref<Function>& f) { return rewrite(f); });
    if (rewritten.same_as(module_)) return module_;
    std::vector<FunctionEntry> added;
    for (const FunctionEntry& e : functions_.module().functions())
      if (!rewritten.find(e.var->name)) added.push_back(e);
    return rewritten.with_functions(std::move(added));
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const auto* call = find<Call>(b.value);
    std::optional<KernelCall> kernel = call ? find_kernel_call(b.value, module_) : std::nullopt;
    const Lifted* lifted = kernel ? lifted_form(*kernel) : nullptr;
    if (!lifted) return Rewriter::visit(b);
    std::vector<Type> results = kernel->outputs;
    for (const Ref<Buffer>& t : lifted->temporaries) {
      std::vector<Scalar> dims;
      for (const Scalar& d : t->shape) dims.push_back(substitute(d, kernel->symbols));
      results.push_back(TensorType::make(std::move(dims), t->dtype));
    }
    std::vector<Expr> args{lifted->var};
    for (size_t i = 1; i < call->args.size(); ++i) args.push_back(Rewriter::visit(call->args[i]));
    const Expr all = emit(Call::make(call->callee, std::move(args), call->attrs, std::move(results), call->span), "lv");
    std::vector<Expr> fields;
    for (size_t i = 0; i < kernel->outputs.size(); ++i) fields.push_back(TupleGetItem::make(all, static_cast<int>(i)));
    if (fields.size() == 1) return bind(b, fields[0]);
    for (Expr& f : fields) f = emit(f, "lv");
    bind(b, Tuple::make(std::move(fields)));
  }

  // Returns the kernel with its large temporaries as additional results; null when it has none.
  const Lifted* lifted_form(const KernelCall& kernel) {
    auto [found, is_new] = known_.try_emplace(kernel.callee->name);
    if (is_new) found->second = lift(kernel.func, kernel.callee->name);
    return found->second.var ? &found->second : nullptr;
  }

  Lifted lift(const Ref<PrimFunc>& func, const std::string& name) {
    const Ref<PrimFunc> moved = with_large_temporaries_at_root(func);
    const PrimFunc& f = *moved;
    const auto* realize = find<BlockRealize>(f.body);
    if (!realize || !realize->values.empty()) return {};
    Block::Parts parts = realize->block->parts();
    Lifted out;
    if (std::ranges::all_of(parts.alloc_buffers, [](const Ref<Buffer>& b) { return stays_in_kernel(*b); })) return {};
    const std::set<std::string> left = temporaries_left(func, target_);
    std::erase_if(parts.alloc_buffers, [&](const Ref<Buffer>& b) {
      const bool goes = !stays_in_kernel(*b) && left.contains(b->name);
      if (goes) out.temporaries.push_back(b);
      return goes;
    });
    if (out.temporaries.empty()) return {};
    std::vector<PrimParam> params = f.params;
    auto scalars = std::ranges::find_if(params, [](const PrimParam& p) { return !p.buffer; });
    std::vector<PrimParam> more;
    for (const Ref<Buffer>& b : out.temporaries) more.push_back({SymVar::make("p_" + b->name, DType::handle()), b});
    params.insert(scalars, more.begin(), more.end());
    Stmt body = BlockRealize::make(realize->values, realize->predicate, Block::make(std::move(parts)));
    AttrMap attrs = f.attrs.values();
    attrs.erase("global_symbol");
    out.var = functions_.add_function(
        name + "_planned", PrimFunc::make(std::move(params), body, Attrs(std::move(attrs)), f.result_type, f.span));
    return out;
  }

  const Module& module_;
  const Target& target_;
  BlockBuilder functions_;
  std::unordered_map<std::string, Lifted> known_;
};

}  // namespace

Module lift_temporaries(const Module& m, const PassContext& ctx) { return Lifter(m, ctx.target).run(); }

}  // namespace sunmao
