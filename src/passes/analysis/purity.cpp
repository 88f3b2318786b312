#include "passes/analysis/purity.h"

namespace sunmao {
namespace {

bool is_forced_pure(const Function& f) {
  const bool* flag = f.attr<bool>("relax.force_pure");
  const int64_t* number = f.attr<int64_t>("relax.force_pure");
  return (flag && *flag) || (number && *number != 0);
}

class ImpureCalls final : public Visitor {
 public:
  explicit ImpureCalls(const ImpureCallQuery& query) : query_(query) {}
  const Call* found = nullptr;
  using Visitor::visit;

 private:
  void visit(const Call& call) override {
    if (!found && !is_own(call.callee) && is_impure(call)) found = &call;
    Visitor::visit(call);
  }
  void visit(const Function&) override {}

  bool is_own(const Expr& callee) const {
    const auto *own = find<GlobalVar>(query_.own_name), *global = find<GlobalVar>(callee);
    return own && global ? own->name == global->name : query_.own_name && query_.own_name == callee;
  }

  bool is_impure(const Call& call) const {
    if (const Op* op = op_of(call)) return !op->info.is_pure;
    Type type = call.callee->type;
    if (const auto* global = find<GlobalVar>(call.callee)) {
      Ref<BaseFunc> func = query_.module ? query_.module->find(global->name) : nullptr;
      const auto* graph = find<Function>(Expr(func));
      if (graph && is_forced_pure(*graph)) return false;
      type = func ? func->type : nullptr;
      if (graph && !type) return !graph->is_pure;
    }
    const auto* signature = find<CallableType>(type);
    return !signature || !signature->is_pure;
  }
  const ImpureCallQuery& query_;
};

}  // namespace

const Call* find_impure_call(const Expr& e, const ImpureCallQuery& query) {
  ImpureCalls calls(query);
  const auto* f = find<Function>(e);
  calls.visit(f ? Expr(f->body) : e);
  return calls.found;
}

}  // namespace sunmao
