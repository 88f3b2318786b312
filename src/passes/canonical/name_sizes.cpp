// The pass `name-sizes`. A call of an op whose result has sizes that data decides becomes its sized form. Any other
// value of known rank and dtype without known sizes is cast to a type with new symbols, and so are parameters, and the
// numbers where views begin.
#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/equal.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/open_sizes.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

bool names_sizes(const Binding& b) { return find<Var>(b.value) && says_open_sizes(b); }

// Finds for each variable the binding that uses it first.
class FirstUses final : public Visitor {
 public:
  explicit FirstUses(const Function& f) { Visitor::visit(f); }
  // True when that is a cast that names its sizes for all that follows: one in a branch does so for the branch alone.
  bool is_named_next(const Ref<Var>& var) const {
    auto use = first_.find(var);
    if (use == first_.end() || use->second.binding->value != var || !names_sizes(*use->second.binding)) return false;
    auto home = depths_.find(var);
    return use->second.depth == (home == depths_.end() ? 1 : home->second);
  }

 private:
  struct Use {
    const Binding* binding;
    int depth;
  };

  using Visitor::visit;
  void visit(const SeqExpr& seq) override {
    ++depth_;
    Visitor::visit(seq);
    --depth_;
  }
  void visit(const Function& f) override {
    for (const Ref<Var>& p : f.params) depths_.emplace(p, depth_ + 1);
    Visitor::visit(f);
  }
  void visit(const Binding& b) override {
    const Binding* outer = std::exchange(current_, &b);
    Visitor::visit(b);
    current_ = outer;
    depths_.emplace(b.var, depth_);
  }
  void visit(const Var& v) override {
    if (current_) first_.try_emplace(Ref<Var>(&v), Use{current_, depth_});
  }
  const Binding* current_ = nullptr;
  int depth_ = 0;  // of sequences
  std::unordered_map<Ref<Var>, int> depths_;
  std::unordered_map<Ref<Var>, Use> first_;
};

class SizeNamer final : public Rewriter {
 public:
  SizeNamer(const Ref<Function>& f, const Module& module) : function_(f), module_(module), uses_(*f) {}

  // The parameters of the function get types with sizes; a function that it holds keeps its signature.
  Ref<Function> run() {
    std::vector<Ref<Var>> params;
    for (const Ref<Var>& p : function_->params) {
      const Type type = types_.copy(p->type);
      params.push_back(type && leaves_sizes_open(type) ? p->with_type(named(type)) : p->with_type(type));
      if (params.back() == p) continue;
      replace(p, params.back());
      stand_for_itself(p, params.back()->type);
    }
    is_outer_ = true;
    Ref<Function> f = rewrite(function_);
    if (f == function_ && params == f->params) return f;
    return Function::make(std::move(params), f->body, known_result(*f), f->is_pure, f->attrs, f->span);
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    Expr value = Rewriter::visit(b.value);
    if (const auto* call = find<Call>(value)) value = sized_form(*call);
    if (const Call* view = find_call(value, "memory.view")) value = with_known_begin(*view);
    here_.insert(b.var);
    const Type cast = types_.copy(b.cast_type), type = cast ? cast : value->type;
    if (!type) return bind(b, value);
    const Ref<Var> var = b.var->with_type(types_.copy(b.var->type));
    const Binding typed{cast ? var : typed_as(var, type), value, cast, b.span};
    if (typed.var != b.var) replace(b.var, typed.var);
    if (leaves_sizes_open(type) && !uses_.is_named_next(b.var)) return bind_cast(b.var, typed, named(type));
    bind(typed, value);
    if (cast || find<TupleGetItem>(value)) stand_for_itself(b.var, type);
    if (names_sizes(b)) stand_for(find_ref<Var>(b.value), b.var);
  }

  // Returns the variable with a type that states the sizes where the type of its value does.
  static Ref<Var> typed_as(const Ref<Var>& var, const Type& type) {
    const bool is_open = var->type && (leaves_sizes_open(var->type) || find<CallableType>(var->type));
    return is_open && !structural_equal(var->type, type) ? var->with_type(type) : var;
  }

  // A value is read from the cast that names its sizes, as far as that reaches.
  void stand_for(const Ref<Var>& value, const Ref<Var>& cast) {
    if (here_.contains(value) && (value->is_dataflow || !cast->is_dataflow))
      replace(value, Rewriter::visit(Expr(cast)));
  }

  void stand_for_itself(const Ref<Var>& var, const Type& type) {
    const auto* shape = find<ShapeType>(type);
    if (!shape || !shape->values) return;
    const Expr sizes = ShapeExpr::make(*shape->values, var->span);
    replace(var, sizes);
    types_.map_shape(var, sizes);
  }

  void bind_cast(const Ref<Var>& original, Binding b, const Type& type) {
    if (in_dataflow() && !original->is_dataflow) b.var = Var::make_dataflow(b.var->name, b.var->type, b.var->span);
    bind(b, b.value);
    const Expr value = Rewriter::visit(Expr(b.var));
    const std::string name = names().unique_name(original->name);
    Ref<Var> cast = original->is_dataflow ? Var::make_dataflow(name, type, b.span) : Var::make(name, type, b.span);
    bind({cast, value, type, b.span}, value);
    replace(original, cast);
    stand_for_itself(original, type);
  }

  Expr sized_form(const Call& call) {
    const Op* op = op_of(call);
    if (!op || !op->info.sized) return Expr(&call);
    BlockBuilder& builder = names();
    if (in_dataflow()) builder.begin_dataflow();
    Expr value = op->info.sized(call, builder);
    for (const Binding& b : builder.take_bindings()) bind(b, b.value);
    if (in_dataflow()) builder.end_dataflow();
    return value;
  }

  // A view that begins at a number which the run gives begins at a new symbol.
  Expr with_known_begin(const Call& view) {
    const Ref<Var> given = view.args.size() > 3 ? find_ref<Var>(view.args[3]) : nullptr;
    const auto* number = given ? find<PrimType>(given->type) : nullptr;
    if (!number || number->value || number->dtype != DType::int_(64)) return Expr(&view);
    const Scalar begin = SymVar::make(names().unique_name("begin"), number->dtype);
    const Type type = PrimType::of_value(begin);
    const std::string name = names().unique_name(given->name);
    bind({in_dataflow() ? Var::make_dataflow(name, type, view.span) : Var::make(name, type, view.span), given, type,
          view.span},
         given);
    std::vector<Expr> args = view.args;
    args[3] = PrimValue::make(begin, given->span);
    return Call::make(view.callee, std::move(args), view.attrs, view.type_args, view.span);
  }

  // The result of a function is typed anew where the call left sizes open.
  Expr visit(const Call& call) override {
    Expr visited = with_known_types(*find<Call>(Rewriter::visit(call)));
    const auto* c = find<Call>(visited);
    const auto* callee = c ? find<GlobalVar>(c->callee) : nullptr;
    if (!callee || !c->type || !leaves_sizes_open(c->type)) return visited;
    const Type signature = signature_of(module_, *callee);
    if (!signature) return visited;
    const Type type = infer_call(*find<CallableType>(signature), c->args, c->span, callee->name);
    return structural_equal(type, c->type)
               ? visited
               : Call::make_typed(c->callee, c->args, c->attrs, c->type_args, type, c->span);
  }

  Expr with_known_types(const Call& call) const {
    std::vector<Type> types;
    for (const Type& t : call.type_args) types.push_back(types_.copy(t));
    return types == call.type_args ? Expr(&call)
                                   : Call::make(call.callee, call.args, call.attrs, std::move(types), call.span);
  }

  Expr visit(const Function& f) override {
    if (std::exchange(is_outer_, false)) return Rewriter::visit(f);
    std::vector<Binding> casts;
    for (const Ref<Var>& p : f.params) {
      if (!p->type || !leaves_sizes_open(p->type) || uses_.is_named_next(p)) continue;
      const Type type = named(p->type);
      const Ref<Var> cast = Var::make(names().unique_name(p->name), type, p->span);
      casts.push_back({cast, p, type, p->span});
      replace(p, cast);
      stand_for_itself(p, type);
    }
    const Expr visited = Rewriter::visit(f);
    if (visited == Expr(&f) && casts.empty()) return visited;
    const auto* inner = find<Function>(visited);
    std::vector<Ref<BindingBlock>> blocks = inner->body->blocks;
    if (!casts.empty()) blocks.insert(blocks.begin(), BindingBlock::make(std::move(casts)));
    return Function::make(inner->params, SeqExpr::make(merge_blocks(blocks), inner->body->body, inner->body->span),
                          known_result(*inner), inner->is_pure, inner->attrs, inner->span);
  }

  // An open result type is derived anew from the body.
  Type known_result(const Function& f) const {
    return f.result_type && leaves_sizes_open(f.result_type) ? nullptr : types_.copy(f.result_type);
  }

  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override {
    std::unordered_set<Ref<Var>> outer = std::exchange(here_, {});
    Ref<SeqExpr> visited = Rewriter::visit_seq(seq);
    here_ = std::move(outer);
    return visited;
  }

  Type named(const Type& type) {
    return with_sizes(type, [&] { return SymVar::make(names().unique_name("n"), DType::int_(64)); });
  }

  // The builder of sized forms, which knows all names of the function.
  BlockBuilder& names() {
    if (names_) return *names_;
    names_.emplace(module_);
    for (const Ref<Var>& v : bound_vars(Expr(function_))) {
      names_->unique_name(v->name);
      if (!v->type) continue;
      for (const Ref<SymVar>& s : free_symbols(v->type)) names_->unique_name(s->name);
    }
    return *names_;
  }

  const Ref<Function> function_;
  const Module& module_;
  const FirstUses uses_;
  std::optional<BlockBuilder> names_;
  FreshCopy types_;                    // for types that name a variable whose sizes are known as their shape
  std::unordered_set<Ref<Var>> here_;  // bound in the sequence that is visited
  bool is_outer_ = false;              // the function that is visited next is `function_`
};

// Returns the graph-level functions, each behind those that it calls, unless they call it.
std::vector<FunctionEntry> callees_first(const Module& m) {
  std::vector<FunctionEntry> out;
  std::unordered_set<std::string> seen;
  std::vector<std::pair<FunctionEntry, bool>> work;  // functions, and whether their callees are in `out`
  for (const FunctionEntry& e : m.functions()) work.emplace_back(e, false);
  while (!work.empty()) {
    const auto [e, is_ready] = std::move(work.back());
    work.pop_back();
    if (is_ready) out.push_back(e);
    if (is_ready || !find<Function>(Expr(e.func)) || !seen.insert(e.var->name).second) continue;
    work.emplace_back(e, true);
    for (const Ref<GlobalVar>& g : called_global_vars(Expr(e.func)))
      if (Ref<BaseFunc> f = m.find(g->name)) work.emplace_back(FunctionEntry{m.find_var(g->name), f}, false);
  }
  return out;
}

}  // namespace

Module name_sizes(const Module& m, const PassContext&) {
  Module out = m;
  for (const FunctionEntry& e : callees_first(m)) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func)), named = SizeNamer(f, out).run();
    if (named != f) out = std::move(out).with_function(e.var, named);
  }
  return out;
}

}  // namespace sunmao
