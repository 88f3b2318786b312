#include "passes/upstream/composite_groups.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {
namespace {

class Grouping {
 public:
  Grouping(const Module& module, const BindingBlock& block) {
    find_taken_apart(block);
    for (const Binding& b : block.bindings) add(module, b);
    for (size_t g : alive_) {
      std::vector<Binding>& members = groups_[g].members;
      auto is_call = [](const Binding& b) { return find<Call>(b.value) != nullptr; };
      // A group with a single call keeps only this call.
      if (std::ranges::count_if(members, is_call) == 1) std::erase_if(members, std::not_fn(is_call));
      members = sorted(block, members);
    }
  }
  std::vector<CompositeGroup> run() && {
    std::vector<CompositeGroup> found;
    for (size_t g : alive_) found.push_back(std::move(groups_[g]));
    return found;
  }

 private:
  static std::vector<Binding> sorted(const BindingBlock& block, const std::vector<Binding>& members) {
    std::unordered_map<Ref<Var>, size_t> place;
    for (const Binding& b : block.bindings) place.emplace(b.var, place.size());
    std::vector<Binding> out = members;
    std::ranges::sort(out, {}, [&](const Binding& b) { return place.at(b.var); });
    return out;
  }

  // Collects the tuples of this block whose only uses are field accesses.
  void find_taken_apart(const BindingBlock& block) {
    for (const Binding& b : block.bindings)
      if (find<TupleType>(b.var->type) && b.var->is_dataflow) taken_apart_.insert(b.var);
    for (const Binding& b : block.bindings)
      if (!find<TupleGetItem>(b.value))
        for (const Ref<Var>& read : free_vars(b.value)) taken_apart_.erase(read);
  }

  // True when the binding reads a field of a tuple or builds a tuple from values of a single group, and this tuple is
  // used by field accesses only.
  bool is_transparent(const Binding& b, const std::set<size_t>& operands) const {
    if (operands.size() != 1 || b.is_match_cast() || !b.var->is_dataflow) return false;
    const std::vector<Ref<Var>> reads = free_vars(b.value);
    if (!std::ranges::all_of(reads, [&](const Ref<Var>& v) { return home_.contains(v); })) return false;
    if (find<TupleGetItem>(b.value)) return taken_apart_.contains(reads[0]);
    const auto* tuple = find<Tuple>(b.value);
    return tuple && taken_apart_.contains(b.var) &&
           std::ranges::all_of(tuple->fields, [](const Expr& e) { return find<Var>(e); });
  }

  // Returns the backend of the called composite function; empty when the call is of another kind.
  static std::string backend_of(const Module& module, const Binding& b) {
    const auto* call = find<Call>(b.value);
    const auto* callee = call ? find<GlobalVar>(call->callee) : nullptr;
    Ref<Function> f = callee && !b.is_match_cast() ? module.find_as<Function>(callee->name) : nullptr;
    const std::string* name = f ? f->attr<std::string>("Composite") : nullptr;
    return name ? name->substr(0, name->find('.')) : std::string();
  }

  void add(const Module& module, const Binding& b) {
    std::set<size_t> operands, indirect;
    for (const Ref<Var>& read : free_vars(b.value)) {
      if (auto home = home_.find(read); home != home_.end()) {
        operands.insert(home->second);
        indirect.insert(groups_[home->second].needs.begin(), groups_[home->second].needs.end());
      }
      if (auto plain = plain_.find(read); plain != plain_.end())
        indirect.insert(plain->second.begin(), plain->second.end());
    }
    if (is_transparent(b, operands)) {
      home_[b.var] = *operands.begin();
      groups_[*operands.begin()].members.push_back(b);
      return;
    }
    const std::string backend = backend_of(module, b);
    std::set<size_t> needs = indirect;
    needs.insert(operands.begin(), operands.end());
    if (backend.empty()) {
      plain_.emplace(b.var, std::move(needs));
      return;
    }
    std::vector<size_t> joined;
    for (size_t g : operands)
      if (groups_[g].backend == backend && !indirect.contains(g)) joined.push_back(g);
    const size_t home = joined.empty() ? groups_.size() : joined[0];
    if (joined.empty()) {
      groups_.push_back({backend, {}, {}});
      alive_.insert(home);
    }
    for (size_t g : joined) {
      if (g != home) absorb(home, g);
      needs.erase(g);
    }
    groups_[home].members.push_back(b);
    home_[b.var] = home;
    groups_[home].needs.insert(needs.begin(), needs.end());
    spread(home);
  }

  void absorb(size_t home, size_t gone) {
    for (const Binding& b : groups_[gone].members) home_[b.var] = home;
    groups_[home].members.insert(groups_[home].members.end(), groups_[gone].members.begin(),
                                 groups_[gone].members.end());
    groups_[home].needs.insert(groups_[gone].needs.begin(), groups_[gone].needs.end());
    alive_.erase(gone);
    auto rename = [&](std::set<size_t>& needs) {
      if (needs.erase(gone)) needs.insert(home);
    };
    for (CompositeGroup& g : groups_) rename(g.needs);
    for (auto& [var, needs] : plain_) rename(needs);
  }

  // Propagates the dependences of group `home` to the groups and variables that depend on it.
  void spread(size_t home) {
    const std::set<size_t>& more = groups_[home].needs;
    auto grow = [&](std::set<size_t>& needs) {
      if (needs.contains(home)) needs.insert(more.begin(), more.end());
    };
    for (size_t g : alive_)
      if (g != home) grow(groups_[g].needs);
    for (auto& [var, needs] : plain_) grow(needs);
  }

  std::vector<CompositeGroup> groups_;
  std::set<size_t> alive_;
  std::unordered_map<Ref<Var>, size_t> home_;
  std::unordered_set<Ref<Var>> taken_apart_;
  std::unordered_map<Ref<Var>, std::set<size_t>> plain_;  // groups that variables outside groups depend on
};

}  // namespace

std::vector<CompositeGroup> composite_groups(const Module& module, const BindingBlock& block) {
  return Grouping(module, block).run();
}

}  // namespace sunmao
