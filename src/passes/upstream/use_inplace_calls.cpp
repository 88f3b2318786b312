// The pass `use-inplace-calls`: in dataflow blocks, elementwise calls whose argument nothing reads any more write to
// its memory. Of several such arguments it is the last.
#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/upstream/inplace_calls.h"

namespace sunmao {
namespace {

class InplaceUser final : public Rewriter {
 public:
  explicit InplaceUser(InplaceCalls& calls) : calls_(calls) {}

 private:
  using Rewriter::visit;

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    if (block->is_dataflow)
      for (const InplaceChance& chance : find_inplace_chances(*block, {}).same_shape)
        places_[block->bindings[static_cast<size_t>(chance.binding)].var] = chance.arguments.back();
    return Rewriter::visit_block(block);
  }

  void visit(const Binding& b) override {
    auto place = places_.find(b.var);
    if (place == places_.end()) return Rewriter::visit(b);
    const Expr value = Rewriter::visit(b.value);
    bind(b, calls_.write_to(*find<Call>(value), place->second));
  }

  InplaceCalls& calls_;
  std::unordered_map<Ref<Var>, int64_t> places_;  // the argument that holds the result
};

}  // namespace

Module use_inplace_calls(const Module& m, const PassContext&) {
  BlockBuilder functions(m);
  InplaceCalls calls(functions);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    Ref<Function> rewritten = InplaceUser(calls).rewrite(f);
    if (rewritten != f) changed.push_back({e.var, rewritten});
  }
  return changed.empty() ? m : functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
