#include "passes/canonical/inline_functions.h"

#include "ir/argument_symbols.h"
#include "ir/type_relation.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class Inliner final : public Rewriter {
 public:
  explicit Inliner(const std::map<std::string, Ref<Function>>& functions) : functions_(functions) {}
  bool changed() const { return changed_; }

 private:
  using Rewriter::visit;

  Ref<Function> callee_of(const Expr& value) const {
    const auto* call = find<Call>(value);
    const auto* global = call ? find<GlobalVar>(call->callee) : nullptr;
    auto it = global ? functions_.find(global->name) : functions_.end();
    return it == functions_.end() ? nullptr : it->second;
  }

  // Splitting a block may separate a dataflow variable from its uses, so all become plain variables here;
  // `canonicalize_bindings` turns them back where possible.
  void visit(const Binding& b) override {
    Binding plain{as_plain(b.var), b.value, b.cast_type, b.span};
    if (plain.var != b.var) replace(b.var, plain.var);
    Rewriter::visit(plain);
    // Rewriting the value may have changed its type and with it the variable.
    if (plain.var != b.var) replace(b.var, Rewriter::visit(Expr(plain.var)));
  }

  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override {
    Ref<SeqExpr> visited = Rewriter::visit_seq(seq);
    std::vector<Ref<BindingBlock>> blocks;
    for (const Ref<BindingBlock>& block : visited->blocks) {
      std::vector<Binding> run;
      for (const Binding& b : block->bindings) {
        Ref<Function> callee = callee_of(b.value);
        if (!callee) {
          run.push_back(b);
          continue;
        }
        blocks.push_back(make_block(std::exchange(run, {}), block->is_dataflow, block->span));
        inline_call(b, *callee, block->is_dataflow, blocks);
      }
      blocks.push_back(make_block(std::move(run), block->is_dataflow, block->span));
    }
    return SeqExpr::make(merge_blocks(blocks), visited->body, visited->span);
  }

  void inline_call(const Binding& b, const Function& callee, bool in_dataflow, std::vector<Ref<BindingBlock>>& blocks) {
    changed_ = true;
    check_no_recursion(*find<GlobalVar>(find<Call>(b.value)->callee), b.span);
    const std::vector<Expr>& args = find<Call>(b.value)->args;
    FreshCopy copy;
    ArgumentSymbols symbols(copy);
    for (size_t i = 0; i < args.size(); ++i) symbols.match(callee.params[i]->type, args[i]->type);
    std::vector<Binding> casts;
    for (size_t i = 0; i < args.size(); ++i) pass_argument(callee.params[i], args[i], copy, casts);
    if (!casts.empty()) blocks.push_back(make_block(std::move(casts), in_dataflow));
    stack_.push_back(find<GlobalVar>(find<Call>(b.value)->callee)->name);
    Ref<SeqExpr> body = visit_seq(copy.copy(callee.body));
    stack_.pop_back();
    blocks.insert(blocks.end(), body->blocks.begin(), body->blocks.end());
    bool in_block = in_dataflow && (body->blocks.empty() || body->blocks.back()->is_dataflow);
    blocks.push_back(make_block({Binding{b.var, body->body, b.cast_type, b.span}}, in_block));
  }

  // An argument whose type is less precise than the parameter's is cast to the parameter's type.
  static void pass_argument(const Ref<Var>& param, const Expr& arg, FreshCopy& copy, std::vector<Binding>& casts) {
    Analyzer analyzer;
    if (base_check(copy.copy(param->type), arg->type, analyzer) == BaseCheck::Pass) return copy.map(param, arg);
    Ref<Var> cast = as_plain(copy.define(param));
    casts.push_back({cast, arg, cast->type, param->span});
    copy.map(param, cast);
  }

  void check_no_recursion(const GlobalVar& callee, const Span& span) const {
    for (const std::string& name : stack_)
      if (name == callee.name)
        fail("E0517", span, fmt::format("`{}` cannot be inlined: it calls itself", callee.name),
             "leave it out of the functions to inline");
  }

  const std::map<std::string, Ref<Function>>& functions_;
  std::vector<std::string> stack_;
  bool changed_ = false;
};

}  // namespace

Ref<Function> inline_functions(const Ref<Function>& function, const std::map<std::string, Ref<Function>>& functions) {
  bool calls_one = false;
  for (const Ref<GlobalVar>& g : called_global_vars(Expr(function))) calls_one |= functions.contains(g->name);
  if (!calls_one) return function;
  Inliner inliner(functions);
  Ref<Function> inlined = inliner.rewrite(function);
  if (!inliner.changed()) return function;
  // Canonicalization removes renames and restores dataflow variables.
  Module canonical = canonicalize_bindings(Module().with_function("inlined", inlined), {});
  return canonical.find_as<Function>("inlined");
}

}  // namespace sunmao
