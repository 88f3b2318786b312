#include "passes/weights/lazy_reads.h"

#include <algorithm>

#include "ir/walk.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

// The symbols that a type uses and does not define.
std::vector<Ref<SymVar>> undefined_symbols(const Type& type) {
  const std::vector<Ref<SymVar>> own = defined_symbols(type);
  std::vector<Ref<SymVar>> out = free_symbols(type);
  std::erase_if(out, [&](const Ref<SymVar>& s) { return std::ranges::find(own, s) != own.end(); });
  return out;
}

}  // namespace

Expr index_value(int64_t index) { return PrimValue::make(int_imm(index)); }

void LazyReads::begin(std::vector<Weight> weights, const std::vector<Ref<Var>>& known, Ref<Var> tuple) {
  weights_ = std::move(weights);
  tuple_ = std::move(tuple);
  for (const Ref<Var>& p : known) define(p->type);
}

void LazyReads::define(const Type& type) {
  for (const Ref<SymVar>& s : defined_symbols(type)) defined_.insert(s);
}

void LazyReads::need(const std::vector<Ref<SymVar>>& symbols) {
  for (const Ref<SymVar>& s : symbols) {
    if (defined_.contains(s)) continue;
    auto says = [&](const Weight& w) {
      const std::vector<Ref<SymVar>> said = defined_symbols(w.type);
      return std::ranges::find(said, s) != said.end();
    };
    auto weight = std::ranges::find_if(weights_, says);
    if (weight != weights_.end() && !read_.contains(weight->index)) read(*weight);
  }
}

Expr LazyReads::read(const Weight& weight) {
  if (auto known = read_.find(weight.index); known != read_.end()) return known->second;
  need(undefined_symbols(weight.type));
  const Expr got = emit(request(weight), weight.name + "_untyped");
  Ref<Var> var = in_dataflow() ? Var::make_dataflow(weight.name, weight.type) : Var::make(weight.name, weight.type);
  bind({var, got, weight.type, {}}, got);
  define(weight.type);
  read_.emplace(weight.index, var);
  return var;
}

Expr LazyReads::visit(const Var& var) {
  if (tuple_.get() == &var) {
    std::vector<Expr> fields;
    for (const Weight& w : weights_) fields.push_back(read(w));
    return Tuple::make(std::move(fields));
  }
  auto weight = std::ranges::find_if(weights_, [&](const Weight& w) { return w.var.get() == &var; });
  return weight == weights_.end() ? Rewriter::visit(var) : read(*weight);
}

bool LazyReads::is_known(const Ref<Var>& var) const {
  auto weight = std::ranges::find_if(weights_, [&](const Weight& w) { return w.var == var; });
  return weight == weights_.end() || read_.contains(weight->index);
}

Expr LazyReads::visit(const TupleGetItem& item) {
  if (!tuple_ || item.tuple != tuple_) return Rewriter::visit(item);
  auto weight = std::ranges::find_if(weights_, [&](const Weight& w) { return w.index == item.index; });
  return weight == weights_.end() ? Rewriter::visit(item) : read(*weight);
}

// Weights requested in a branch are available only in that branch.
Expr LazyReads::visit(const If& branch) {
  const Expr condition = visit(branch.condition);
  const auto read = read_;
  const auto defined = defined_;
  Ref<SeqExpr> then_branch = visit_seq(branch.then_branch);
  read_ = read;
  defined_ = defined;
  Ref<SeqExpr> else_branch = visit_seq(branch.else_branch);
  read_ = read;
  defined_ = defined;
  if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
    return Expr(&branch);
  return If::make(condition, then_branch, else_branch, branch.span);
}

Expr LazyReads::visit(const Function& function) {
  const auto read = read_;
  const auto defined = defined_;
  for (const Ref<Var>& p : function.params) define(p->type);
  Expr visited = Rewriter::visit(function);
  read_ = read;
  defined_ = defined;
  return visited;
}

Expr LazyReads::visit_leaf(const Expr& e) {
  if (find<ShapeExpr>(e) || find<PrimValue>(e)) need(free_symbols(e->type));
  return e;
}

// Dataflow variables are out of scope after their block.
Ref<BindingBlock> LazyReads::visit_block(const Ref<BindingBlock>& block) {
  Ref<BindingBlock> visited = Rewriter::visit_block(block);
  if (block->is_dataflow)
    std::erase_if(read_, [](const auto& known) {
      const auto* var = find<Var>(known.second);
      return var && var->is_dataflow;
    });
  return visited;
}

void LazyReads::visit(const Binding& binding) {
  const bool is_nested = find<If>(binding.value) || find<Function>(binding.value);
  if (!is_nested) need(free_symbolic_vars(binding.value));
  need(binding.is_match_cast() ? undefined_symbols(binding.cast_type) : free_symbols(binding.var->type));
  Rewriter::visit(binding);
  if (binding.is_match_cast()) define(binding.cast_type);
}

}  // namespace sunmao
