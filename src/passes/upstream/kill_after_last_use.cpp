// The pass `kill-after-last-use`: frees tensors and storage after their last use, except results. Bindings are
// canonicalized before, which merges renames of a value.
#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Killer final : public Rewriter {
  using Rewriter::visit;

  struct Owned {
    Ref<Var> var;
    const char* release;  // the op that frees it
  };

  // A nested sequence, such as a branch, frees only what it defines.
  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override {
    auto outer = std::exchange(released_behind_, plan(*seq));
    Ref<SeqExpr> visited = Rewriter::visit_seq(seq);
    released_behind_ = std::move(outer);
    return visited;
  }

  // Maps a variable to what is freed after its binding.
  static std::unordered_map<Ref<Var>, std::vector<Owned>> plan(const SeqExpr& seq) {
    std::vector<Owned> owned;
    std::unordered_map<Ref<Var>, Ref<Var>> last_user;
    for (const Ref<BindingBlock>& block : seq.blocks)
      for (const Binding& b : block->bindings) {
        for (const Ref<Var>& v : free_vars(b.value)) last_user[v] = b.var;
        if (const char* release = release_of(b)) owned.push_back({b.var, release});
      }
    for (const Ref<Var>& v : free_vars(seq.body)) last_user.erase(v);
    std::unordered_map<Ref<Var>, std::vector<Owned>> behind;
    for (const Owned& o : owned)
      if (auto it = last_user.find(o.var); it != last_user.end()) behind[it->second].push_back(o);
    return behind;
  }

  // Returns the op that frees the bound value; null when the sequence does not own it.
  static const char* release_of(const Binding& b) {
    if (find_call(b.value, "memory.alloc_storage")) return "memory.kill_storage";
    bool owns = find<Call>(b.value) || b.is_match_cast();
    return owns && find<TensorType>(b.var->type) ? "memory.kill_tensor" : nullptr;
  }

  void visit(const Binding& b) override {
    Rewriter::visit(b);
    auto it = released_behind_.find(b.var);
    if (it == released_behind_.end() || in_dataflow()) return;
    std::vector<Owned> released = std::exchange(it->second, {});
    for (const Owned& o : released)
      emit(Call::make(builtin_ops().get(o.release), {Rewriter::visit(Expr(o.var))}, {}, {}, b.span), "_");
  }

  std::unordered_map<Ref<Var>, std::vector<Owned>> released_behind_;
};

}  // namespace

Module kill_after_last_use(const Module& m, const PassContext& ctx) {
  return map_functions(canonicalize_bindings(m, ctx), [](const Ref<Function>& f) { return Killer().rewrite(f); });
}

}  // namespace sunmao
