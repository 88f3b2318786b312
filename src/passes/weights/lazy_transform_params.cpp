// The pass `lazy-transform-params`: makes a transform fetch each raw weight by `fget_item` at its first use. Unless
// `fset_item` is None, it also passes each prepared weight to `fset_item` after its last use, and drops raw weights
// after their last use.
#include <algorithm>
#include <map>
#include <ranges>

#include "ops/ops.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/variables.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/weights/lazy_outputs.h"
#include "passes/weights/lazy_reads.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

struct Callbacks {
  std::string get, set;  // `set` may be empty: the transform returns its result
  std::vector<Ref<Var>> get_params, set_params;
};

std::vector<Ref<Var>> variables(const PassArguments& arguments, const char* name) {
  const AttrValue& value = arguments.get(name);
  std::vector<Ref<Var>> out;
  if (value.is_none()) return out;
  const AttrList* list = value.find<AttrList>();
  for (size_t i = 0; list && i < list->size(); ++i) {
    const Expr* e = (*list)[i].find<Expr>();
    if (Ref<Var> v = e ? find_ref<Var>(*e) : nullptr) out.push_back(v);
  }
  if (!list || out.size() != list->size())
    fail("E0514", {}, fmt::format("lazy-transform-params: `{}` is a list of variables", name));
  return out;
}

Expr packed(const std::string& name, const std::vector<Ref<Var>>& extra, std::vector<Expr> args) {
  args.insert(args.begin(), extra.begin(), extra.end());
  return Call::make(ExternFunc::make(name), std::move(args), {}, {AnyType::make()});
}

class LazyTransform final : public LazyReads {
 public:
  explicit LazyTransform(const Callbacks& callbacks) : callbacks_(callbacks) {}

  Ref<Function> run(const Ref<Function>& given, size_t inputs) {
    const Ref<Function> f =
        callbacks_.set.empty() ? without_dataflow(given) : with_literal_result(without_dataflow(given));
    std::vector<Ref<Var>> params(f->params.begin(), f->params.begin() + static_cast<std::ptrdiff_t>(inputs));
    std::vector<Ref<Var>> known = params;
    take_weights(*f, inputs, known);
    std::vector<Ref<Var>> holders(known.begin() + static_cast<std::ptrdiff_t>(inputs), known.end());
    for (const auto* extra : {&callbacks_.get_params, &callbacks_.set_params, &std::as_const(holders)})
      params.insert(params.end(), extra->begin(), extra->end());
    outputs_ = find_lazy_outputs(*f);
    Ref<SeqExpr> body = f->body;
    if (!callbacks_.set.empty()) {
      body = with_unread_outputs(body);
      find_last_uses(*body);
    }
    body = visit_seq(body);
    if (!callbacks_.set.empty()) body = without_result(*body);
    return Function::make(std::move(params), body, nullptr, false, f->attrs.without("relax.force_pure"), f->span);
  }

 private:
  using LazyReads::visit;

  // Shapes and scalars remain parameters, since they are not data.
  void take_weights(const Function& f, size_t inputs, std::vector<Ref<Var>>& known) {
    std::vector<Weight> weights;
    auto is_data = [](const Type& t) { return !find<ShapeType>(t) && !find<PrimType>(t); };
    const bool is_bundled = f.params.size() == inputs + 1 && find<TupleType>(f.params[inputs]->type);
    if (is_bundled) tuple_ = f.params[inputs];
    const std::vector<std::string> names = names_in(f, kWeightNamesAttr);
    const std::vector<Type> types = is_bundled ? find<TupleType>(tuple_->type)->fields : std::vector<Type>();
    for (size_t i = 0; i < types.size(); ++i) {
      const std::string name = i < names.size() ? names[i] : fmt::format("param_{}", i);
      if (is_data(types[i]))
        weights.push_back({nullptr, static_cast<int>(i), name, types[i]});
      else
        known.push_back(held_.emplace(static_cast<int>(i), Var::make("symbolic_var_holder", types[i])).first->second);
    }
    for (size_t i = inputs; !is_bundled && i < f.params.size(); ++i) {
      const Ref<Var>& p = f.params[i];
      if (is_data(p->type))
        weights.push_back({p, static_cast<int>(i - inputs), p->name, p->type});
      else
        known.push_back(p);
    }
    for (const Weight& w : weights)
      if (w.var) inputs_.insert(w.var);
    begin(std::move(weights), known, tuple_);
  }

  Expr request(const Weight& weight) override {
    return packed(callbacks_.get, callbacks_.get_params, {index_value(weight.index)});
  }

  Expr visit(const TupleGetItem& item) override {
    if (tuple_ && item.tuple == tuple_)
      if (auto held = held_.find(item.index); held != held_.end()) return held->second;
    return LazyReads::visit(item);
  }

  // Adds a binding of each parameter that is an output and that no binding reads; `visit` passes it to the setter
  // there, and leaves the binding out.
  Ref<SeqExpr> with_unread_outputs(const Ref<SeqExpr>& body) {
    std::unordered_set<Ref<Var>> seen;
    for (const Ref<BindingBlock>& block : body->blocks)
      for (const Binding& b : block->bindings) {
        seen.insert(b.var);
        if (b.var == outputs_.result) continue;
        for (const Ref<Var>& v : free_vars(b.value)) seen.insert(v);
      }
    std::map<size_t, Ref<Var>> unread;  // by the first place in the result
    for (const auto& [v, places] : outputs_.of_vars)
      if (!seen.contains(v)) unread.emplace(places.front(), v);
    if (unread.empty()) return body;
    std::vector<Binding> reads;
    for (const auto& [place, v] : unread) {
      reads.push_back({Var::make("_", v->type), v, nullptr, {}});
      unread_.insert(reads.back().var);
    }
    std::vector<Ref<BindingBlock>> blocks = body->blocks;
    blocks.push_back(BindingBlock::make(std::move(reads)));
    return SeqExpr::make(std::move(blocks), body->body, body->span);
  }

  // Maps each binding to the variables whose last use it is.
  void find_last_uses(const SeqExpr& body) {
    std::unordered_set<Ref<Var>> ended;
    for (const Ref<BindingBlock>& block : std::views::reverse(body.blocks))
      for (const Binding& b : std::views::reverse(block->bindings)) {
        if (b.var == outputs_.result) continue;
        std::vector<Ref<Var>>& ends = ends_[b.var];
        for (const Ref<Var>& v : free_vars(b.value))
          if (ended.insert(v).second) ends.push_back(v);
        if (ended.insert(b.var).second) ends.push_back(b.var);
        const auto* item = find<TupleGetItem>(b.value);
        if (item && tuple_ && item->tuple == tuple_ && !held_.contains(item->index)) inputs_.insert(b.var);
      }
  }

  void visit(const Binding& b) override {
    if (callbacks_.set.empty()) return LazyReads::visit(b);
    if (b.var == outputs_.result) {
      need(free_symbolic_vars(b.value));
      const Expr nothing = Tuple::make({});
      nothing_ = Var::make(b.var->name, nothing->type);
      return bind({nothing_, nothing, nullptr, {}}, nothing);
    }
    if (!unread_.contains(b.var)) LazyReads::visit(b);
    auto ends = ends_.find(b.var);
    if (ends == ends_.end()) return;
    for (const Ref<Var>& v : ends->second) {
      const auto places = outputs_.of_vars.find(v);
      const bool is_output = places != outputs_.of_vars.end();
      // A weight requested only in a branch is not in scope here.
      const bool is_held = inputs_.contains(v) && is_known(v);
      if (!is_output && !is_held) continue;
      const Expr now = visit(Expr(v));
      if (is_output)
        for (size_t index : places->second) set(index, now);
      if (inputs_.contains(v)) emit(Call::make(builtin_ops().get("vm.kill_object"), {now}), "_");
    }
  }

  void set(size_t index, const Expr& value) {
    emit(packed(callbacks_.set, callbacks_.set_params, {index_value(static_cast<int64_t>(index)), value}), "_");
  }

  // Outputs that are no variables, such as constants, are passed to the setter at the end.
  Ref<SeqExpr> without_result(const SeqExpr& body) {
    std::vector<Ref<BindingBlock>> blocks = body.blocks;
    std::vector<Binding> last;
    auto set_last = [&](size_t index, const Expr& value) {
      const Expr call =
          packed(callbacks_.set, callbacks_.set_params, {index_value(static_cast<int64_t>(index)), value});
      last.push_back({Var::make("_", call->type), call, nullptr, {}});
    };
    for (const auto& [value, index] : outputs_.leaves) set_last(index, value);
    if (!last.empty()) blocks.push_back(BindingBlock::make(std::move(last)));
    return SeqExpr::make(merge_blocks(blocks), nothing_ ? Expr(nothing_) : Tuple::make({}), body.span);
  }

  const Callbacks& callbacks_;
  Ref<Var> tuple_;
  std::unordered_map<int, Ref<Var>> held_;
  LazyOutputs outputs_;
  Ref<Var> nothing_;                     // replaces the result tuple that is passed to the setter; may be null
  std::unordered_set<Ref<Var>> inputs_;  // variables bound to raw weights
  std::unordered_set<Ref<Var>> unread_;  // variables of the bindings that `with_unread_outputs` added
  std::unordered_map<Ref<Var>, std::vector<Ref<Var>>> ends_;
};

bool is_transform(const FunctionEntry& e) {
  return is_param_transform(*e.func) || e.var->name.ends_with("transform_params");
}

}  // namespace

Module lazy_transform_params(const Module& m, const PassContext& ctx) {
  const PassArguments arguments("lazy-transform-params", ctx);
  const Callbacks callbacks{arguments.string("fget_item"), arguments.string("fset_item"),
                            variables(arguments, "extra_get_item_params"),
                            variables(arguments, "extra_set_item_params")};
  if (callbacks.get.empty())
    fail("E0514", {}, "lazy-transform-params: fget_item names the function that gets a weight",
         "weights that are handed over lazily are also fetched lazily");
  const std::unordered_map<std::string, std::string> callers = first_callers(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || !is_transform(e)) continue;
    if (const auto caller = callers.find(e.var->name); caller != callers.end())
      fail("E0504", f->span,
           fmt::format("`{}` calls the parameter transform `{}`, which will take no weights", caller->second,
                       e.var->name),
           "transforms are called from outside; inline the call first");
    changed.push_back({e.var, LazyTransform(callbacks).run(f, num_input(*f, e.var->name).value_or(0))});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
