#include "ir/verify.h"

#include <unordered_set>

#include "ir/condition.h"
#include "ir/infer.h"
#include "ir/op.h"
#include "ir/type_relation.h"
#include "ir/walk.h"

namespace sunmao {

const char* name_of(Stage stage) {
  static constexpr const char* kNames[] = {"raw", "imported", "normal", "legal", "vm-ready"};
  return kNames[static_cast<int>(stage)];
}

namespace {

class Verifier {
 public:
  Verifier(const Module& module, Stage stage, size_t limit) : module_(module), stage_(stage), limit_(limit) {}

  std::vector<Diagnostic> run() {
    for (const FunctionEntry& e : module_.functions()) {
      const auto* f = find<Function>(Expr(e.func));
      const std::string* symbol = e.func->attr<std::string>("global_symbol");
      if (symbol && *symbol != e.var->name && f)
        report("E0408", e.func->span,
               fmt::format("function `{}` says that its global_symbol is `{}`", e.var->name, *symbol),
               "give both the same name, or drop the attribute");
      if (!f) continue;
      function_ = e.var->name;
      symbols_.clear();
      vars_.clear();
      check_function(*f);
    }
    return std::move(found_);
  }

 private:
  void report(const char* code, const Span& span, std::string message, std::string help = {}) {
    if (found_.size() >= limit_) return;
    if (!function_.empty()) message = fmt::format("in `{}`: {}", function_, message);
    found_.push_back({.code = code, .message = std::move(message), .span = span, .notes = {}, .help = std::move(help)});
  }

  void check_function(const Function& f) {
    if (is_forced_pure(f) && !f.is_pure)
      report("E0414", f.span, "the function is declared impure, and `relax.force_pure` says otherwise",
             "declare it pure, or drop the attribute");
    for (const Ref<Var>& p : f.params) {
      if (p->is_dataflow)
        report("E0401", p->span, fmt::format("parameter `{}` is a dataflow variable, which lives in a block", p->name));
      define(p);
      for (const Ref<SymVar>& s : definable_symbols(p->type)) define_symbol(s, p->span);
    }
    for (const Ref<Var>& p : f.params) check_symbols(p->type, p->span, p->name);
    bool outer_pure = std::exchange(pure_context_, f.is_pure && !is_forced_pure(f));
    check_seq(*f.body);
    pure_context_ = outer_pure;
    check_symbols(f.result_type, f.span, "result");
    if (f.result_type && f.body->type) {
      Analyzer analyzer;
      if (fits(f.result_type, f.body->type, analyzer) == Fit::No)
        report("E0417", f.span,
               fmt::format("the result is {}, but {} is promised", describe(f.body->type), describe(f.result_type)));
    }
  }

  static bool is_forced_pure(const Function& f) {
    const bool* forced = f.attr<bool>("relax.force_pure");
    const int64_t* number = f.attr<int64_t>("relax.force_pure");
    return (forced && *forced) || (number && *number != 0);
  }

  void define(const Ref<Var>& var) {
    vars_.insert(var);
    if (!ever_.insert(var).second)
      report("E0402", var->span, fmt::format("`{}` is defined twice", var->name),
             "each variable is bound once; use a fresh one");
    if (stage_ >= Stage::Imported && !var->type)
      report("E0403", var->span, fmt::format("`{}` has no type", var->name), "run `normalize`");
  }

  // Symbols are local to one module function: the one in which they are first defined.
  void define_symbol(const Ref<SymVar>& s, const Span& span) {
    symbols_.insert(s);
    const std::string& home = homes_.try_emplace(s, function_).first->second;
    if (home != function_)
      report("E0415", span, fmt::format("symbol `{}` is defined here and in `{}`", s->name, home),
             "each function has symbols of its own; use a fresh one");
  }

  // A binding defines the symbol that is the value of its variable's scalar type, if nothing has defined it before.
  void define_own_symbol(const Var& var) {
    const auto* prim = find<PrimType>(var.type);
    Ref<SymVar> own = prim ? find_ref<SymVar>(prim->value) : nullptr;
    if (own && !symbols_.contains(own)) define_symbol(own, var.span);
  }

  // Checks that the variables that are the shape of a tensor type are in scope.
  void check_shape_vars(const Type& type, const Span& span, const std::string& what) {
    if (const auto* tuple = find<TupleType>(type))
      for (const Type& field : tuple->fields) check_shape_vars(field, span, what);
    const auto* tensor = find<TensorType>(type);
    const Ref<Var> shape = tensor ? find_ref<Var>(tensor->shape) : nullptr;
    if (shape && !vars_.contains(shape))
      report("E0401", span,
             fmt::format("the type of `{}` names the shape `{}`, which is not defined here", what, shape->name));
  }

  void check_symbols(const Type& type, const Span& span, const std::string& what) {
    check_shape_vars(type, span, what);
    for (const Ref<SymVar>& s : unbound_symbols(type))
      if (!symbols_.contains(s) && undefined_.insert(s).second)
        report("E0404", span, fmt::format("`{}`: symbol `{}` is used but nothing defines it", what, s->name),
               "a parameter's shape, a shape parameter or a match_cast must have it as a dimension of its own");
  }

  void check_seq(const SeqExpr& seq) {
    // Variables are in scope until the end of the sequence, dataflow variables until the end of their block.
    std::vector<Ref<Var>> mine;
    for (const Ref<BindingBlock>& block : seq.blocks) {
      std::vector<Ref<Var>> dataflow;
      bool outer = std::exchange(in_dataflow_, block->is_dataflow);
      for (const Binding& b : block->bindings) {
        check_binding(b);
        (b.var->is_dataflow ? dataflow : mine).push_back(b.var);
      }
      in_dataflow_ = outer;
      for (const Ref<Var>& v : dataflow) vars_.erase(v);
    }
    check_expr(seq.body, /*operand=*/true);
    for (const Ref<Var>& v : mine) vars_.erase(v);
  }

  void check_binding(const Binding& b) {
    if (b.var->is_dataflow && !in_dataflow_)
      report("E0401", b.span, fmt::format("dataflow variable `{}` is bound outside a dataflow block", b.var->name));
    bool may_recurse = find<Function>(b.value) != nullptr;
    if (may_recurse) define(b.var);
    check_expr(b.value, /*operand=*/false);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : definable_symbols(b.cast_type)) define_symbol(s, b.span);
    if (!may_recurse) define(b.var);
    define_own_symbol(*b.var);
    check_symbols(b.var->type, b.span, b.var->name);
    if (!b.is_match_cast() && b.value && b.var->type && b.value->type) {
      Analyzer analyzer;
      if (fits(b.var->type, b.value->type, analyzer) == Fit::No)
        report("E0405", b.span,
               fmt::format("`{}` is {}, but its value is {}", b.var->name, describe(b.var->type),
                           describe(b.value->type)));
    }
  }

  void check_expr(const Expr& e, bool operand) {
    if (!e) return report("E0400", {}, "an expression is missing");
    if (operand && stage_ >= Stage::Normal && !is_leaf(e))
      report("E0406", e->span, "an operand is itself a computation", "run `normalize`");
    if (const auto* v = find<Var>(e)) {
      if (!vars_.contains(Ref<Var>(v)))
        report("E0401", e->span,
               fmt::format("`{}` is used where it is not defined{}", v->name,
                           v->is_dataflow ? ": a dataflow variable lives in its block only" : ""));
    } else if (const auto* g = find<GlobalVar>(e)) {
      if (!module_.find(g->name)) report("E0407", e->span, fmt::format("the module has no function `{}`", g->name));
    } else if (const auto* t = find<Tuple>(e)) {
      for (const Expr& f : t->fields) check_expr(f, true);
    } else if (const auto* i = find<TupleGetItem>(e)) {
      check_expr(i->tuple, true);
    } else if (const auto* s = find<ShapeExpr>(e)) {
      check_symbols(s->type, e->span, "shape");
    } else if (const auto* p = find<PrimValue>(e)) {
      check_symbols(p->type, e->span, "scalar");
    } else if (const auto* c = find<Call>(e)) {
      check_call(*c);
    } else if (const auto* b = find<If>(e)) {
      check_if(*b);
    } else if (const auto* q = find<SeqExpr>(e)) {
      check_seq(*q);
    } else if (const auto* f = find<Function>(e)) {
      check_function(*f);
    } else if (find<BaseFunc>(e) && !find<ExternFunc>(e)) {
      report("E0413", e->span, "a loop-level function stands inside an expression",
             "add it to the module and refer to it by name");
    }
  }

  void check_if(const If& b) {
    check_expr(b.condition, true);
    const auto* tensor = find<TensorType>(b.condition->type);
    const auto* prim = find<PrimType>(b.condition->type);
    const bool is_open = tensor && (tensor->dtype.is_bool() || tensor->dtype.is_void()) && tensor->rank <= 0;
    const bool is_bool = is_open || (tensor && is_one_bool(*tensor)) || (prim && prim->dtype.is_bool());
    if (b.condition->type && !is_bool && !find<AnyType>(b.condition->type))
      report("E0409", b.span, fmt::format("a condition is a bool of one element, got {}", describe(b.condition->type)));
    bool outer = std::exchange(in_dataflow_, false);
    check_seq(*b.then_branch);
    check_seq(*b.else_branch);
    in_dataflow_ = outer;
    if (outer) report("E0410", b.span, "a branch inside a dataflow block", "move it out of the block");
  }

  void check_call(const Call& c) {
    if (!find<Op>(c.callee)) check_expr(c.callee, true);
    for (const Expr& a : c.args) check_expr(a, true);
    for (const Type& t : c.type_args) check_symbols(t, c.span, "result of the call");
    if (stage_ >= Stage::Imported && !c.type) report("E0403", c.span, "a call has no type", "run `normalize`");
    const Op* op = op_of(c);
    const bool runs = op && (op->info.runs_on_vm || op->info.runs_unlowered);
    if (stage_ >= Stage::Legal && op && !runs && (op->info.lower || op->info.decompose))
      report("E0411", c.span,
             fmt::format("op `{}` is left, which stage {} does not allow", op->name(), name_of(stage_)),
             "run `legalize-ops`");
    const auto* global = find<GlobalVar>(c.callee);
    Type signature = global ? signature_of(module_, *global) : c.callee->type;
    const auto* callable = find<CallableType>(signature);
    std::string name = op ? "R." + op->name() : global ? global->name : "function";
    if (callable && callable->params && callable->params->size() != c.args.size())
      report("E0310", c.span,
             fmt::format("`{}` takes {} arguments, got {}", name, callable->params->size(), c.args.size()));
    const bool impure = op ? !op->info.is_pure : callable && !callable->is_pure;
    if (impure && (in_dataflow_ || pure_context_)) report_impure(c, name);
  }

  void report_impure(const Call& c, const std::string& name) {
    report("E0412", c.span,
           fmt::format("impure call of `{}` in {}", name, in_dataflow_ ? "a dataflow block" : "a pure function"),
           in_dataflow_ ? "move it out of the dataflow block" : "declare the function with pure=False");
  }

  const Module& module_;
  const Stage stage_;
  const size_t limit_;
  std::string function_;
  std::vector<Diagnostic> found_;
  std::unordered_set<Ref<Var>> vars_, ever_;
  std::unordered_set<Ref<SymVar>> symbols_, undefined_;
  std::unordered_map<Ref<SymVar>, std::string> homes_;
  bool in_dataflow_ = false;
  bool pure_context_ = false;
};

}  // namespace

std::vector<Diagnostic> verify(const Module& module, Stage stage, size_t limit) {
  return Verifier(module, stage, limit).run();
}

std::optional<Stage> find_stage(const Module& module) {
  for (const Stage stage : {Stage::VmReady, Stage::Legal, Stage::Normal, Stage::Imported, Stage::Raw})
    if (verify(module, stage, 1).empty()) return stage;
  return std::nullopt;
}

void verify_or_fail(const Module& module, Stage stage) {
  std::vector<Diagnostic> found = verify(module, stage);
  if (!found.empty()) throw UserError(std::move(found));
}

}  // namespace sunmao
