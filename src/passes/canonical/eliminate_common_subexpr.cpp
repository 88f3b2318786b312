// The pass `eliminate-common-subexpr`. A value computed in a dataflow block is available after the block only through
// variables that leave it; a value computed in a branch only in that branch.
#include <algorithm>

#include "ir/equal.h"
#include "ir/walk.h"
#include "passes/analysis/distinct_values.h"
#include "passes/analysis/open_sizes.h"
#include "passes/analysis/purity.h"
#include "passes/analysis/variables.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Eliminator final : public Rewriter {
 public:
  Eliminator(const Module& module, const DistinctValues& distinct, bool call_only)
      : query_{.own_name = {}, .module = &module}, distinct_(distinct), call_only_(call_only) {}

 private:
  using Rewriter::visit;

  struct Known {
    Expr value;
    Type cast_type;
    std::vector<Ref<Var>> vars;  // variables bound to this value; the first one replaces the others
  };
  using Table = std::unordered_map<uint64_t, std::vector<Known>>;
  using Casts = std::unordered_map<Ref<Var>, Ref<Var>>;

  bool is_candidate(const Expr& value) const {
    const auto* call = find<Call>(value);
    if (!call) return !call_only_ && (find<TupleGetItem>(value) || find<Tuple>(value));
    return !contains_impure_call(value, query_) && !distinct_.are_made_by(value, plain_functions_);
  }

  void note_function(const Ref<Var>& var, const Expr& function) {
    plain_functions_.insert(var);  // calls of itself make nothing that the rest of its body does not make
    if (distinct_.are_made_by(function, plain_functions_)) plain_functions_.erase(var);
  }

  // The structural hash includes only the names of free variables, so different variables of the same name would share
  // a bucket. Their addresses are added, which is safe because structurally equal values have the same free variables.
  static uint64_t key_of(const Expr& value) {
    uint64_t key = structural_hash(value);
    for (const Ref<Var>& v : free_vars(value)) key = key * 31 + std::hash<const Var*>()(v.get());
    return key;
  }

  Known& entry_for(const Expr& value, const Type& cast_type) {
    std::vector<Known>& bucket = table_[key_of(value)];
    for (Known& k : bucket)
      if (static_cast<bool>(k.cast_type) == static_cast<bool>(cast_type) && structural_equal(k.value, value) &&
          (!cast_type || structural_equal(k.cast_type, cast_type)))
        return k;
    bucket.push_back({value, cast_type, {}});
    return bucket.back();
  }

  // Returns what to cast instead of `value`: if that replaces another variable, the first cast that names its sizes, of
  // which those named now are equal ones.
  Expr named_value(const Binding& b, const Expr& value) {
    if (!leaves_sizes_open(value->type) || leaves_sizes_open(b.cast_type)) return value;
    const auto [earlier, is_first] = casts_.try_emplace(find_ref<Var>(value), b.var);
    const bool is_same = is_first || value == b.value || structural_equal(earlier->second->type, b.cast_type);
    return is_same ? value : Expr(earlier->second);
  }

  void visit(const Binding& b) override {
    Expr value = Rewriter::visit(b.value);
    if (find<Function>(value)) note_function(b.var, value);
    bool is_cast = b.is_match_cast() && find<Var>(value);
    if (is_cast) value = named_value(b, value);
    if (!is_cast && !is_candidate(value)) return bind(b, value);
    Known& known = entry_for(value, b.cast_type);
    auto first =
        std::ranges::find_if(known.vars, [&](const Ref<Var>& v) { return structural_equal(v->type, b.var->type); });
    Ref<Var> leader = first == known.vars.end() ? nullptr : *first;
    known.vars.push_back(b.var);
    if (!leader) return bind(b, value);
    bind(Binding{b.var, b.value, nullptr, b.span}, leader);
    replace(b.var, leader);
    if (leader->is_dataflow && !b.var->is_dataflow) leaves_block_.push_back(b.var);
  }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    if (!block->is_dataflow) return Rewriter::visit_block(block);
    Ref<BindingBlock> visited = Rewriter::visit_block(block);
    for (const Ref<Var>& v : std::exchange(leaves_block_, {})) replace(v, v);
    for (auto& [hash, bucket] : table_)
      for (Known& k : bucket) std::erase_if(k.vars, [](const Ref<Var>& v) { return v->is_dataflow; });
    std::erase_if(casts_, [](const auto& cast) { return cast.second->is_dataflow; });
    return visited;
  }

  Expr visit(const If& branch) override {
    Expr condition = Rewriter::visit(branch.condition);
    Table before = table_;
    const Casts casts = casts_;
    Ref<SeqExpr> yes = visit_seq(branch.then_branch);
    table_ = before;
    casts_ = casts;
    Ref<SeqExpr> no = visit_seq(branch.else_branch);
    table_ = std::move(before);
    casts_ = casts;
    if (condition == branch.condition && yes == branch.then_branch && no == branch.else_branch) return Expr(&branch);
    return If::make(condition, yes, no, branch.span);
  }

  // A closure reuses only values computed inside it, so that its set of captured variables does not grow.
  Expr visit(const Function& f) override {
    Table outer = std::exchange(table_, {});
    Casts casts = std::exchange(casts_, {});
    Expr visited = Rewriter::visit(f);
    table_ = std::move(outer);
    casts_ = std::move(casts);
    return visited;
  }

  const ImpureCallQuery query_;
  const DistinctValues& distinct_;
  const bool call_only_;
  Table table_;
  Casts casts_;                                   // by variable, the first cast that names its sizes
  std::unordered_set<Ref<Var>> plain_functions_;  // variables of local functions without calls in `distinct_`
  std::vector<Ref<Var>> leaves_block_;
};

}  // namespace

Module eliminate_common_subexpr(const Module& m, const PassContext& ctx) {
  bool call_only = PassArguments("eliminate-common-subexpr", ctx).bool_("call_only");
  const DistinctValues distinct(m);
  return map_functions(m, [&](const Ref<Function>& f) { return Eliminator(m, distinct, call_only).rewrite(f); });
}

}  // namespace sunmao
