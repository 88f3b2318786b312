#include "passes/upstream/decompose_ops.h"

#include <unordered_map>

#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/analysis/named_functions.h"
#include "passes/pass_arguments.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class Decomposer final : public Rewriter {
 public:
  explicit Decomposer(Purpose purpose) : purpose_(purpose) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    Ref<Call> c = find_ref<Call>(visited);
    return c ? simpler_form(c, purpose_, [&](Expr step) { return emit(std::move(step), "lv"); }) : visited;
  }

  void visit(const Binding& b) override {
    auto it = named_.find(b.var);
    return it == named_.end() ? Rewriter::visit(b) : bind(b, it->second);
  }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    if (purpose_ != Purpose::Inference) return Rewriter::visit_block(block);
    std::vector<Binding> bindings;
    for (const Binding& b : block->bindings) add(b, block->is_dataflow, bindings);
    if (bindings.size() == block->bindings.size()) return Rewriter::visit_block(block);
    return Rewriter::visit_block(block->is_dataflow ? BindingBlock::make_dataflow(std::move(bindings), block->span)
                                                    : BindingBlock::make(std::move(bindings), block->span));
  }

  // Binds the dimensions of a shape computed from a tensor to fresh symbols, so that later types can refer to them.
  void add(const Binding& b, bool in_dataflow, std::vector<Binding>& out) {
    const Call* call = b.is_match_cast() ? nullptr : find_call(b.value, "tensor_to_shape");
    const auto* type = call ? find<ShapeType>(call->type) : nullptr;
    if (!type || type->values || type->rank == kUnknownRank) {
      out.push_back(b);
      return;
    }
    auto variable = [&](const char* name, const Type& t) {
      return in_dataflow ? Var::make_dataflow(name, t) : Var::make(name, t);
    };
    std::vector<Scalar> dims;
    for (int i = 0; i < type->rank; ++i) dims.push_back(SymVar::make("x"));
    Expr packed = Call::make(builtin_ops().get("call_pure_packed"),
                             {ExternFunc::make("vm.builtin.tensor_to_shape"), Tuple::make({call->args[0]})}, {},
                             {call->type}, b.span);
    Type named = ShapeType::make(dims);
    Ref<Var> shape = variable("shape", packed->type), cast = variable("y", named);
    out.push_back({shape, packed, nullptr, b.span});
    out.push_back({cast, shape, named, b.span});
    out.push_back(b);
    named_.emplace(b.var, ShapeExpr::make(std::move(dims), b.span));
  }

  Purpose purpose_;
  std::unordered_map<Ref<Var>, Expr> named_;  // shape variables, and the symbolic shapes that replace them
};

}  // namespace

Module decompose_ops(const Module& m, const PassContext& ctx, const char* pass, std::span<const Purpose> purposes) {
  const std::string only = PassArguments(pass, ctx).string("func_name");
  if (!only.empty()) require_functions(m, pass, {only});
  auto apply = [&](const Module& in, Purpose purpose) {
    std::vector<FunctionEntry> changed;
    for (const FunctionEntry& e : in.functions()) {
      Ref<Function> f = find_ref<Function>(Expr(e.func));
      if (!f || (!only.empty() && e.var->name != only)) continue;
      Ref<Function> simpler = Decomposer(purpose).rewrite(f);
      if (simpler != f) changed.push_back({e.var, simpler});
    }
    return changed.empty() ? in : in.with_functions(std::move(changed));
  };
  Module out = m;
  for (const Purpose purpose : purposes) out = apply(out, purpose);
  return out;
}

}  // namespace sunmao
