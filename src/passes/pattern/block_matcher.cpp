#include "passes/pattern/block_matcher.h"

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"
#include "passes/pattern/type_matcher.h"

namespace sunmao {
namespace {

// Returns the operands of a value by position. For a call whose first argument is a function and whose second is a
// tuple, such as a call_tir, these are the tuple's fields.
std::vector<Expr> operands_of(const Expr& value) {
  if (const auto* call = find<Call>(value)) {
    bool names_function = call->args.size() >= 2 && (find<GlobalVar>(call->args[0]) || find<ExternFunc>(call->args[0]));
    const auto* handed = names_function ? find<Tuple>(call->args[1]) : nullptr;
    return handed ? handed->fields : call->args;
  }
  if (const auto* tuple = find<Tuple>(value)) return tuple->fields;
  if (const auto* item = find<TupleGetItem>(value)) return {item->tuple};
  if (find<Var>(value)) return {value};
  return {};
}

// Use-def information of a block.
struct BlockFacts {
  explicit BlockFacts(const BindingBlock& block) {
    std::vector<Ref<Var>> bound;
    std::unordered_set<Ref<Var>> seen;
    for (const Binding& b : block.bindings) seen.insert(b.var);
    for (const Binding& b : block.bindings) {
      values.emplace(b.var, b.value);
      bound.push_back(b.var);
      for (const Ref<Var>& read : reads.emplace(b.var, free_vars(b.value)).first->second) {
        users[read].push_back(b.var);
        if (seen.insert(read).second) vars.push_back(read);
      }
    }
    vars.insert(vars.end(), bound.begin(), bound.end());
  }

  bool escapes(const Ref<Var>& var) const { return values.contains(var) && !var->is_dataflow; }

  std::vector<Ref<Var>> vars;  // free variables, then bound ones, in order
  std::unordered_map<Ref<Var>, Expr> values;
  std::unordered_map<Ref<Var>, std::vector<Ref<Var>>> reads, users;
};

class BlockMatcher {
 public:
  BlockMatcher(const PatternGraph& graph, const BindingBlock& block) : graph_(graph), facts_(block) {
    for (const PatternUse& use : graph.uses) {
      add(use.producer);
      add(use.consumer);
    }
    for (const auto& group : graph.same_shape) std::ranges::for_each(group, [&](const Ref<Pattern>& p) { add(p); });
    plan();
  }

  std::optional<Matches> run() {
    if (patterns_.empty() || !solve(0)) return std::nullopt;
    Matches out;
    for (const Ref<Pattern>& p : patterns_) out.emplace_back(p, assigned_.at(p));
    return out;
  }

 private:
  void add(const Ref<Pattern>& p) {
    if (std::ranges::find(patterns_, p) == patterns_.end()) patterns_.push_back(p);
  }

  // Orders patterns greedily for the search: first producers of a pattern that is already placed, whose operands leave
  // few candidates; then consumers of a placed pattern; then patterns without consumers in the graph.
  void plan() {
    std::unordered_set<Ref<Pattern>> placed;
    auto has = [&](const Ref<Pattern>& p, bool as_producer, bool among_placed) {
      return std::ranges::any_of(graph_.uses, [&](const PatternUse& use) {
        const Ref<Pattern>& self = as_producer ? use.producer : use.consumer;
        return self == p && (!among_placed || placed.contains(as_producer ? use.consumer : use.producer));
      });
    };
    auto rank = [&](const Ref<Pattern>& p) {
      return has(p, true, true) ? 0 : has(p, false, true) ? 1 : !has(p, true, false) ? 2 : 3;
    };
    while (order_.size() < patterns_.size()) {
      Ref<Pattern> best;
      for (const Ref<Pattern>& p : patterns_)
        if (!placed.contains(p) && (!best || rank(p) < rank(best))) best = p;
      placed.insert(best);
      order_.push_back(best);
    }
  }

  bool solve(size_t at) {
    if (at == order_.size()) return shapes_agree();
    const Ref<Pattern>& pattern = order_[at];
    for (const Expr& candidate : candidates(pattern)) {
      bool is_var = find<Var>(candidate) != nullptr;
      if (is_var && taken_.contains(candidate)) continue;
      assigned_[pattern] = candidate;
      if (is_var) taken_.insert(candidate);
      if (uses_hold(pattern) && matches(pattern, candidate) && solve(at + 1)) return true;
      assigned_.erase(pattern);
      taken_.erase(candidate);
    }
    return false;
  }

  bool matches(const Ref<Pattern>& pattern, const Expr& e) const {
    return match(pattern, e,
                 [&](const Ref<Var>& var) {
                   auto it = facts_.values.find(var);
                   return it == facts_.values.end() ? Expr() : it->second;
                 })
        .has_value();
  }

  template <class Map>
  static std::vector<Expr> exprs_of(const Map& map, const Expr& var) {
    auto it = map.find(find_ref<Var>(var));
    return it == map.end() ? std::vector<Expr>() : std::vector<Expr>(it->second.begin(), it->second.end());
  }

  // Returns the candidates for a pattern, restricted by an assigned consumer, else by an assigned producer.
  std::vector<Expr> candidates(const Ref<Pattern>& p) const {
    for (const PatternUse& use : graph_.uses)
      if (use.producer == p && assigned_.contains(use.consumer))
        return operands(assigned_.at(use.consumer), use.operand);
    for (const PatternUse& use : graph_.uses)
      if (use.consumer == p && assigned_.contains(use.producer))
        return exprs_of(facts_.users, assigned_.at(use.producer));
    return {facts_.vars.begin(), facts_.vars.end()};
  }

  std::vector<Expr> operands(const Expr& consumer, int index) const {
    if (index == kAnyIndex) return exprs_of(facts_.reads, consumer);
    auto it = facts_.values.find(find_ref<Var>(consumer));
    if (it == facts_.values.end()) return {};
    std::vector<Expr> all = operands_of(it->second);
    auto at = static_cast<size_t>(index);
    if (at >= all.size()) return {};
    const auto* call = find<Call>(it->second);
    if (call && is_commutative(*call)) return {all[at], all[1 - at]};
    return {all[at]};
  }

  bool uses_hold(const Ref<Pattern>& p) const {
    return std::ranges::all_of(graph_.uses, [&](const PatternUse& use) {
      if (use.producer != p && use.consumer != p) return true;
      auto producer = assigned_.find(use.producer), consumer = assigned_.find(use.consumer);
      if (producer == assigned_.end() || consumer == assigned_.end()) return true;
      return holds(use, producer->second, consumer->second);
    });
  }

  bool holds(const PatternUse& use, const Expr& producer, const Expr& consumer) const {
    std::vector<Expr> all = operands(consumer, use.operand);
    if (std::ranges::find(all, producer) == all.end()) return false;
    Ref<Var> var = find_ref<Var>(producer);
    if (!use.is_only || !var) return true;
    return !facts_.escapes(var) && exprs_of(facts_.users, producer) == std::vector<Expr>{consumer};
  }

  bool shapes_agree() const {
    return std::ranges::all_of(graph_.same_shape, [&](const std::vector<Ref<Pattern>>& group) {
      const std::vector<Scalar>* first = nullptr;
      for (const Ref<Pattern>& p : group) {
        const auto* tensor = find<TensorType>(assigned_.at(p)->type);
        const std::vector<Scalar>* dims = tensor ? tensor->dims() : nullptr;
        if (!dims || (first && !TypeMatcher().equal(*first, *dims))) return false;
        first = dims;
      }
      return true;
    });
  }

  const PatternGraph& graph_;
  const BlockFacts facts_;
  std::vector<Ref<Pattern>> patterns_, order_;  // in the graph's order; in search order
  std::unordered_map<Ref<Pattern>, Expr> assigned_;
  std::unordered_set<Expr> taken_;
};

}  // namespace

std::optional<Matches> match_block(const PatternGraph& graph, const BindingBlock& block) {
  return BlockMatcher(graph, block).run();
}

}  // namespace sunmao
