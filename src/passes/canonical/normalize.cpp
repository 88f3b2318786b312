#include "passes/canonical/normalize.h"

#include <algorithm>

#include "ir/walk.h"
#include "ops/custom_ops.h"
#include "passes/analysis/blocks.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

bool has_nested_sequence(const SeqExpr& seq) {
  auto nests = [](const Ref<BindingBlock>& block) {
    return std::ranges::any_of(block->bindings, [](const Binding& b) { return find<SeqExpr>(b.value); });
  };
  return find<SeqExpr>(seq.body) || std::ranges::any_of(seq.blocks, nests);
}

// Appends the blocks of `seq`, with sequences that are values of bindings spliced in.
void append_flat(const SeqExpr& seq, bool in_dataflow, std::vector<Ref<BindingBlock>>& blocks) {
  for (const Ref<BindingBlock>& block : seq.blocks) {
    bool dataflow = in_dataflow || block->is_dataflow;
    for (const Binding& b : block->bindings) {
      Binding flat = b;
      if (const auto* nested = find<SeqExpr>(b.value)) {
        append_flat(*nested, dataflow, blocks);
        flat.value = nested->body;
      }
      blocks.push_back(make_block({std::move(flat)}, dataflow, block->span));
    }
  }
}

Ref<SeqExpr> flatten(const Ref<SeqExpr>& seq) {
  if (!has_nested_sequence(*seq)) return seq;
  std::vector<Ref<BindingBlock>> blocks;
  append_flat(*seq, false, blocks);
  Expr body = seq->body;
  while (const auto* nested = find<SeqExpr>(body)) {
    append_flat(*nested, false, blocks);
    body = nested->body;
  }
  return flatten(SeqExpr::make(merge_blocks(blocks), body, seq->span));
}

class Normalizer final : public Rewriter {
 public:
  Normalizer(const Module& module, bool as_written) : module_(module), as_written_(as_written) {}

 private:
  using Rewriter::visit;

  Expr operand(const Expr& e) { return emit(Rewriter::visit(e), "lv"); }

  Expr visit(const Call& call) override {
    std::vector<Expr> args;
    for (const Expr& a : call.args) args.push_back(operand(a));
    Expr callee = Rewriter::visit(call.callee);
    const auto* global = find<GlobalVar>(callee);
    if (!global)
      return in_normal_form(callee == call.callee
                                ? call.with_args(std::move(args))
                                : Call::make(callee, std::move(args), call.attrs, call.type_args, call.span));
    Type signature = call.type ? nullptr : signature_of(module_, *global);
    Type type = signature ? infer_call(*find<CallableType>(signature), args, call.span, global->name) : call.type;
    return call.with_args(std::move(args), type);
  }

  // Returns the call in the normal form that its op defines, if the op is a custom one.
  Expr in_normal_form(const Ref<Call>& call) {
    Expr normal = as_written_ ? Expr(call) : normal_custom_call(call);
    const auto* changed = find<Call>(normal);
    if (normal == Expr(call) || !changed) return normal;
    std::vector<Expr> args;
    for (const Expr& a : changed->args) args.push_back(emit(a, "lv"));
    return changed->with_args(std::move(args));
  }

  Expr visit(const Tuple& tuple) override {
    std::vector<Expr> fields;
    for (const Expr& f : tuple.fields) fields.push_back(operand(f));
    return fields == tuple.fields ? Expr(&tuple) : Tuple::make(std::move(fields), tuple.span);
  }

  Expr visit(const TupleGetItem& item) override {
    Expr tuple = operand(item.tuple);
    return tuple == item.tuple ? Expr(&item) : TupleGetItem::make(tuple, item.index, item.span);
  }

  Expr visit(const If& branch) override {
    Expr condition = operand(branch.condition);
    Ref<SeqExpr> yes = leaf_body(visit_seq(branch.then_branch)), no = leaf_body(visit_seq(branch.else_branch));
    if (condition == branch.condition && yes == branch.then_branch && no == branch.else_branch) return Expr(&branch);
    return If::make(condition, yes, no, branch.span);
  }

  Expr visit(const Function& function) override {
    Expr rewritten = Rewriter::visit(function);
    const auto& f = *find<Function>(rewritten);
    Ref<SeqExpr> body = leaf_body(f.body);
    if (body == f.body) return rewritten;
    return Function::make(f.params, body, f.result_type, f.is_pure, f.attrs, f.span);
  }

  void visit(const Binding& b) override {
    Expr value = Rewriter::visit(b.value);
    if (b.var->type || b.is_match_cast() || !value->type) return bind(b, value);
    Ref<Var> typed = b.var->with_type(value->type);
    replace(b.var, typed);
    bind(Binding{typed, value, nullptr, b.span}, value);
  }

  // A variable of empty tuple type is replaced at its uses by an empty tuple, unless it is bound to a tuple expression.
  Expr visit(const Var& var) override {
    Expr visited = Rewriter::visit(var);
    const auto* tuple = find<TupleType>(visited->type);
    bool says_nothing = tuple && tuple->fields.empty() && !find<Tuple>(value_of(visited));
    return says_nothing ? Tuple::make({}, var.span) : visited;
  }

  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override {
    return with_merged_blocks(Rewriter::visit_seq(flatten(seq)));
  }

  // Binds the body of a sequence to a variable unless it is a leaf.
  static Ref<SeqExpr> leaf_body(const Ref<SeqExpr>& seq) {
    if (is_leaf(seq->body)) return seq;
    Ref<Var> var = Var::make("gv", seq->body->type, seq->body->span);
    std::vector<Ref<BindingBlock>> blocks = seq->blocks;
    blocks.push_back(BindingBlock::make({{var, seq->body, nullptr, seq->body->span}}));
    return SeqExpr::make(merge_blocks(blocks), var, seq->span);
  }

  const Module& module_;
  const bool as_written_;
};

}  // namespace

Ref<Function> normalize(const Ref<Function>& function, const Module& module) {
  return Normalizer(module, false).rewrite(function);
}

Module normalize(const Module& m, const PassContext& ctx) {
  bool as_written = PassArguments("normalize", ctx).bool_("as_written");
  return map_functions(m, [&](const Ref<Function>& f) { return Normalizer(m, as_written).rewrite(f); });
}

}  // namespace sunmao
