#include "eval/last_uses.h"

#include <ranges>

#include "ir/walk.h"

namespace sunmao {
namespace {

EndsOfBindings find_ends(const SeqExpr& seq, std::span<const Ref<Var>> outer) {
  std::vector<const Binding*> bindings;
  std::unordered_set<Ref<Var>> own(outer.begin(), outer.end());
  for (const Ref<BindingBlock>& block : seq.blocks)
    for (const Binding& b : block->bindings) {
      bindings.push_back(&b);
      own.insert(b.var);
    }
  for (const Ref<Var>& v : free_vars(seq.body)) own.erase(v);
  EndsOfBindings out(bindings.size());
  for (size_t i = bindings.size(); i-- > 0;) {
    auto end = [&](const Ref<Var>& v) {
      if (own.erase(v) != 0) out[i].push_back(v.get());
    };
    end(bindings[i]->var);
    for (const Ref<Var>& v : free_vars(bindings[i]->value)) end(v);
  }
  return out;
}

}  // namespace

const EndsOfBindings& LastUses::of(const SeqExpr& seq, std::span<const Ref<Var>> outer) {
  auto known = known_.find(&seq);
  if (known == known_.end()) known = known_.emplace(&seq, find_ends(seq, outer)).first;
  return known->second;
}

}  // namespace sunmao
