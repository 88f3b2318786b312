#include "passes/analysis/known_calls.h"

#include "ir/walk.h"

namespace sunmao {
namespace {

class KnownCalls final : public Rewriter {
 public:
  explicit KnownCalls(const Module& module) : module_(module) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call& c = *find<Call>(visited);
    const auto* global = find<GlobalVar>(c.callee);
    bool is_open = global && (!c.type || find<AnyType>(c.type));
    Type signature = is_open ? signature_of(module_, *global) : nullptr;
    const auto* callable = find<CallableType>(signature);
    if (!callable || find<AnyType>(callable->result)) return visited;
    return c.with_args(c.args, infer_call(*callable, c.args, c.span, global->name));
  }

  const Module& module_;
};

}  // namespace

Ref<Function> with_known_calls(const Ref<Function>& function, const Module& module) {
  return KnownCalls(module).rewrite(function);
}

}  // namespace sunmao
