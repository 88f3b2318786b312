// The pass `compute-prim-value`: replaces graph-level scalar expressions by calls of loop-level functions.
#include "ir/builder.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "passes/passes.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class Computer final : public Rewriter {
 public:
  explicit Computer(BlockBuilder& functions) : functions_(functions) {}

 private:
  Expr visit_leaf(const Expr& e) override {
    const auto* prim = find<PrimValue>(e);
    if (!prim || find<SymVar>(prim->value) || find<IntImm>(prim->value) || find<FloatImm>(prim->value)) return e;
    Substitution fresh;
    std::vector<PrimParam> params;
    std::vector<Expr> args;
    for (const Ref<SymVar>& s : free_symbols(prim->value)) {
      params.push_back({SymVar::make(s->name, s->dtype), nullptr});
      fresh.emplace(s, params.back().var);
      args.push_back(PrimValue::make(s, e->span));
    }
    Scalar value = substitute(prim->value, fresh);
    Type type = PrimType::make(value->dtype);
    Stmt body = Evaluate::make(ScalarCall::make("ret", value->dtype, {value}));
    Ref<GlobalVar> function = functions_.add_function(
        "compute_symbolic_expr", PrimFunc::make(std::move(params), std::move(body),
                                                Attrs(AttrMap{{"s_tir", true}, {"tirx.is_host_func", true}}), type));
    return emit(Call::make_typed(function, std::move(args), {}, {}, type, e->span), "condition");
  }
  BlockBuilder& functions_;
};

}  // namespace

Module compute_prim_value(const Module& m, const PassContext&) {
  BlockBuilder functions(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)))
      if (Ref<Function> computed = Computer(functions).rewrite(f); computed != f) changed.push_back({e.var, computed});
  return functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
