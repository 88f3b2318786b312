#include "ir/walk.h"

#include <algorithm>

#include "ir/equal.h"
#include "support/diagnostic.h"

namespace sunmao {

void Visitor::visit(const Expr& e) {
  if (const auto* n = find<Var>(e)) return visit(*n);
  if (const auto* n = find<Call>(e)) return visit(*n);
  if (const auto* n = find<Tuple>(e)) return visit(*n);
  if (const auto* n = find<TupleGetItem>(e)) return visit(*n);
  if (const auto* n = find<If>(e)) return visit(*n);
  if (const auto* n = find<SeqExpr>(e)) return visit(*n);
  if (const auto* n = find<Function>(e)) return visit(*n);
  visit_leaf(e);
}

void Visitor::visit(const Call& call) {
  visit(call.callee);
  for (const Expr& a : call.args) visit(a);
}
void Visitor::visit(const Tuple& tuple) {
  for (const Expr& f : tuple.fields) visit(f);
}
void Visitor::visit(const If& branch) {
  visit(branch.condition);
  visit(*branch.then_branch);
  visit(*branch.else_branch);
}
void Visitor::visit(const SeqExpr& seq) {
  for (const Ref<BindingBlock>& b : seq.blocks) visit_block(*b);
  visit(seq.body);
}
void Visitor::visit_block(const BindingBlock& block) {
  for (const Binding& b : block.bindings) visit(b);
}
void Visitor::visit(const Function& function) { visit(*function.body); }

Ref<Function> Rewriter::rewrite(const Ref<Function>& function) {
  Expr result = visit(*function);
  Ref<Function> rewritten = find_ref<Function>(result);
  SUNMAO_CHECK(rewritten, "a function was rewritten to something else");
  return rewritten;
}

Expr Rewriter::visit(const Expr& e) {
  if (const auto* n = find<Var>(e)) return visit(*n);
  if (const auto* n = find<Call>(e)) return visit(*n);
  if (const auto* n = find<Tuple>(e)) return visit(*n);
  if (const auto* n = find<TupleGetItem>(e)) return visit(*n);
  if (const auto* n = find<If>(e)) return visit(*n);
  if (find<SeqExpr>(e)) return visit_seq(find_ref<SeqExpr>(e));
  if (const auto* n = find<Function>(e)) return visit(*n);
  return visit_leaf(e);
}

Expr Rewriter::visit(const Var& var) {
  auto it = replaced_.find(Ref<Var>(&var));
  return it == replaced_.end() ? Expr(&var) : it->second;
}

Expr Rewriter::visit(const Call& call) {
  Expr callee = visit(call.callee);
  std::vector<Expr> args;
  args.reserve(call.args.size());
  for (const Expr& a : call.args) args.push_back(visit(a));
  if (callee == call.callee) return call.with_args(std::move(args));
  if (find<GlobalVar>(callee))
    return Call::make_typed(callee, std::move(args), call.attrs, call.type_args, call.type, call.span);
  return Call::make(callee, std::move(args), call.attrs, call.type_args, call.span);
}

Expr Rewriter::visit(const Tuple& tuple) {
  std::vector<Expr> fields;
  fields.reserve(tuple.fields.size());
  for (const Expr& f : tuple.fields) fields.push_back(visit(f));
  return fields == tuple.fields ? Expr(&tuple) : Tuple::make(std::move(fields), tuple.span);
}

Expr Rewriter::visit(const TupleGetItem& item) {
  Expr tuple = visit(item.tuple);
  return tuple == item.tuple ? Expr(&item) : TupleGetItem::make(tuple, item.index, item.span);
}

Expr Rewriter::visit(const If& branch) {
  Expr condition = visit(branch.condition);
  Ref<SeqExpr> then_branch = visit_seq(branch.then_branch), else_branch = visit_seq(branch.else_branch);
  if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
    return Expr(&branch);
  return If::make(condition, then_branch, else_branch, branch.span);
}

Expr Rewriter::visit(const Function& function) {
  Ref<SeqExpr> body = visit_seq(function.body);
  if (body == function.body) return Expr(&function);
  // The declared result type is kept as long as it is compatible with the new body's type.
  Analyzer analyzer;
  bool keep = function.result_type && body->type && fits(function.result_type, body->type, analyzer) != Fit::No;
  return Function::make(function.params, body, keep ? function.result_type : Type(), function.is_pure, function.attrs,
                        function.span);
}

Ref<SeqExpr> Rewriter::visit_seq(const Ref<SeqExpr>& seq) {
  std::vector<Ref<BindingBlock>> blocks;
  bool changed = false;
  for (const Ref<BindingBlock>& block : seq->blocks) {
    Ref<BindingBlock> visited = visit_block(block);
    changed |= visited != block;
    if (!visited->bindings.empty() || visited == block) blocks.push_back(visited);
  }
  // Bindings emitted for the result go to the end of the last block, or to a new block if there is none or it is a
  // dataflow block.
  std::vector<Binding> tail;
  std::vector<Binding>* outer = std::exchange(out_, &tail);
  bool outer_dataflow = std::exchange(in_dataflow_, false);
  Expr body = visit(seq->body);
  out_ = outer;
  in_dataflow_ = outer_dataflow;
  if (!tail.empty() && !blocks.empty() && !blocks.back()->is_dataflow) {
    std::vector<Binding> joined = blocks.back()->bindings;
    joined.insert(joined.end(), tail.begin(), tail.end());
    blocks.back() = BindingBlock::make(std::move(joined), blocks.back()->span);
    changed = true;
  } else if (!tail.empty()) {
    blocks.push_back(BindingBlock::make(std::move(tail)));
  }
  if (!changed && body == seq->body && blocks.size() == seq->blocks.size()) return seq;
  return SeqExpr::make(std::move(blocks), body, seq->span);
}

Ref<BindingBlock> Rewriter::visit_block(const Ref<BindingBlock>& block) {
  std::vector<Binding> bindings;
  bindings.reserve(block->bindings.size());
  std::vector<Binding>* outer = std::exchange(out_, &bindings);
  bool outer_dataflow = std::exchange(in_dataflow_, block->is_dataflow);
  for (const Binding& b : block->bindings) visit(b);
  out_ = outer;
  in_dataflow_ = outer_dataflow;
  // A value that uses dataflow variables cannot be repeated after the block.
  auto is_inside = [](const Ref<Var>& v) { return v->is_dataflow; };
  if (block->is_dataflow)
    for (const Binding& b : bindings)
      if (b.var->is_dataflow || std::ranges::any_of(free_vars(b.value), is_inside)) bound_.erase(b.var);
  bool same = std::ranges::equal(bindings, block->bindings, [](const Binding& a, const Binding& b) {
    return a.var == b.var && a.value == b.value && a.cast_type == b.cast_type;
  });
  if (same) return block;
  return block->is_dataflow ? BindingBlock::make_dataflow(std::move(bindings), block->span)
                            : BindingBlock::make(std::move(bindings), block->span);
}

void Rewriter::visit(const Binding& binding) { bind(binding, visit(binding.value)); }

void Rewriter::bind(const Binding& original, Expr value) {
  Ref<Var> var = original.var;
  if (value != original.value && !original.is_match_cast() && value->type && value->type != var->type &&
      !structural_equal(value->type, var->type))
    var = var->with_type(value->type);
  if (var != original.var) replaced_[original.var] = var;
  bound_[var] = value;
  out_->push_back(Binding{var, std::move(value), original.cast_type, original.span});
}

Expr Rewriter::emit(Expr value, const std::string& name) {
  if (is_leaf(value)) return value;
  SUNMAO_CHECK(out_, "emit outside a block");
  Ref<Var> var =
      in_dataflow_ ? Var::make_dataflow(name, value->type, value->span) : Var::make(name, value->type, value->span);
  bound_[var] = value;
  Span span = value->span;
  out_->push_back(Binding{var, std::move(value), nullptr, std::move(span)});
  return var;
}

Expr Rewriter::value_of(const Expr& var) const {
  auto it = bound_.find(find_ref<Var>(var));
  return it == bound_.end() ? nullptr : it->second;
}

namespace {

class FreeVars final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<Ref<Var>> found;

 private:
  void visit(const Var& var) override {
    Ref<Var> ref(&var);
    if (!bound_.contains(ref) && seen_.insert(ref).second) found.push_back(ref);
  }
  void visit(const Binding& b) override {
    if (find<Function>(b.value)) bound_.insert(b.var);  // a local function may be recursive
    Visitor::visit(b);
    bound_.insert(b.var);
  }
  void visit(const Function& f) override {
    bound_.insert(f.params.begin(), f.params.end());
    Visitor::visit(f);
  }
  std::unordered_set<Ref<Var>> bound_, seen_;
};

void collect_defined(const std::vector<Scalar>& values, std::vector<Ref<SymVar>>& out) {
  for (const Scalar& v : values)
    if (Ref<SymVar> s = find_ref<SymVar>(v); s && std::ranges::find(out, s) == out.end()) out.push_back(s);
}

void collect_defined(const Type& type, std::vector<Ref<SymVar>>& out) {
  if (const auto* t = find<TensorType>(type); t && t->dims()) collect_defined(*t->dims(), out);
  if (const auto* t = find<ShapeType>(type); t && t->values) collect_defined(*t->values, out);
  if (const auto* t = find<PrimType>(type); t && t->value) collect_defined(std::vector{t->value}, out);
  if (const auto* t = find<TupleType>(type))
    for (const Type& f : t->fields) collect_defined(f, out);
}

}  // namespace

std::vector<Ref<Var>> free_vars(const Expr& e) {
  FreeVars visitor;
  visitor.visit(e);
  return visitor.found;
}

std::vector<Ref<SymVar>> defined_symbols(const Type& type) {
  std::vector<Ref<SymVar>> out;
  collect_defined(type, out);
  return out;
}

Expr map_tuple_parts(const Expr& e, const std::function<Expr(const Expr&)>& rewrite) {
  if (const auto* tuple = find<Tuple>(e)) {
    std::vector<Expr> fields;
    for (const Expr& f : tuple->fields) fields.push_back(rewrite(f));
    return fields == tuple->fields ? e : Tuple::make(std::move(fields), e->span);
  }
  if (const auto* item = find<TupleGetItem>(e)) {
    Expr tuple = rewrite(item->tuple);
    return tuple == item->tuple ? e : TupleGetItem::make(tuple, item->index, e->span);
  }
  return nullptr;
}

}  // namespace sunmao
