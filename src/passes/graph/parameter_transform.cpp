#include "passes/graph/parameter_transform.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ops/ops.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/graph/blocks.h"
#include "passes/graph/bundle_model_params.h"
#include "passes/graph/canonicalize_bindings.h"
#include "passes/graph/parameter_stages.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

bool contains(const auto& list, const auto& item) { return std::ranges::find(list, item) != list.end(); }

// What the body of a function still uses once lifted bindings are gone.
class RuntimeUses final : public Visitor {
 public:
  RuntimeUses(const Function& f, const std::unordered_set<Ref<Var>>& lifted) : lifted_(lifted) {
    visit(*f.body);
    if (f.result_type) need(f.result_type);
  }
  std::unordered_set<Ref<Var>> vars;
  std::vector<Ref<SymVar>> symbols;
  using Visitor::visit;

  void need(const Type& type) {
    for (const Ref<SymVar>& s : free_symbols(type))
      if (!contains(symbols, s) && !own_.contains(s)) symbols.push_back(s);
  }

 private:
  void visit(const Var& v) override { vars.insert(Ref<Var>(&v)); }
  void visit(const Binding& b) override {
    if (lifted_.contains(b.var)) return;
    Visitor::visit(b.value);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : defined_symbols(b.cast_type)) own_.insert(s);
    need(b.var->type);
  }
  void visit_leaf(const Expr& e) override {
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) need(e->type);
  }
  const std::unordered_set<Ref<Var>>& lifted_;
  std::unordered_set<Ref<SymVar>> own_;
};

// What leaves a function. A tuple that is put together of weights is no work: where it is still read it stays.
std::unordered_set<Ref<Var>> lifted_vars(const WorkSource& source, const WeightWork& work,
                                         const WeightWork::Names& names) {
  std::unordered_set<Ref<Var>> lifted;
  std::vector<Ref<Var>> tuples;
  for (const Binding& b : source.dependence.bindings) {
    const WeightWork::Step* step = work.step_of(names.vars.at(b.var));
    if (!step || !step->is_lifted || step->is_constant) continue;
    lifted.insert(b.var);
    if (find<Tuple>(b.value)) tuples.push_back(b.var);
  }
  for (bool changed = !tuples.empty(); changed;) {
    const RuntimeUses uses(*source.function, lifted);
    changed =
        std::erase_if(tuples, [&](const Ref<Var>& v) { return uses.vars.contains(v) && lifted.erase(v) > 0; }) > 0;
  }
  return lifted;
}

// Whether the transform gives the fields of a value one by one: a prepared weight is one piece of data.
bool is_taken_apart(const Ref<Var>& v, const WeightWork& work) {
  return find<TupleType>(v->type) && !contains(work.weights, v);
}

// Without bindings that only rename, however many of them lie behind one another.
Ref<Function> canonical(Ref<Function> f) {
  for (Ref<Function> before; before != f;) f = canonicalize_bindings(before = f);
  return f;
}

std::vector<Scalar> as_scalars(const std::vector<Ref<SymVar>>& symbols) { return {symbols.begin(), symbols.end()}; }

// Types of weights with every dimension that weights do not define as a symbol of its own.
class OwnSymbols {
 public:
  explicit OwnSymbols(const std::vector<Ref<Var>>& weights) {
    for (const Ref<Var>& w : weights)
      for (const Ref<SymVar>& s : defined_symbols(w->type)) defined_.insert(s);
  }

  Type of(const Type& type) {
    if (is_own(free_symbols(type))) return type;
    if (const auto* t = find<TensorType>(type); t && t->dims())
      return TensorType::make(of(*t->dims()), t->dtype, t->vdevice, t->span);
    if (const auto* t = find<ShapeType>(type); t && t->values) return ShapeType::make(of(*t->values), t->span);
    if (const auto* t = find<PrimType>(type); t && t->value) return PrimType::make(t->dtype, t->span);
    const auto* tuple = find<TupleType>(type);
    if (!tuple) return type;
    std::vector<Type> fields;
    for (const Type& f : tuple->fields) fields.push_back(of(f));
    return TupleType::make(std::move(fields), type->span);
  }

 private:
  bool is_own(const std::vector<Ref<SymVar>>& symbols) const {
    return std::ranges::all_of(symbols, [&](const Ref<SymVar>& s) { return defined_.contains(s); });
  }
  std::vector<Scalar> of(std::vector<Scalar> dims) {
    for (Scalar& d : dims)
      if (!is_own(free_symbols(d))) d = symbol_for(d);
    return dims;
  }
  Scalar symbol_for(const Scalar& dim) {
    for (const auto& [known, symbol] : made_)
      if (structural_equal(known, dim)) return symbol;
    made_.emplace_back(dim, SymVar::make(fmt::format("size_{}", made_.size())));
    return made_.back().second;
  }

  std::unordered_set<Ref<SymVar>> defined_;
  std::vector<std::pair<Scalar, Ref<SymVar>>> made_;
};

// Copies in which values stand for weights, and what a weight's type defined is what the type of its value has there.
class WeightCopy {
 public:
  FreshCopy copy;

  void take(const Ref<Var>& weight, const Expr& value) {
    define(weight->type, value->type);
    copy.map(weight, value);
  }

 private:
  void define(const std::vector<Scalar>& own, const std::vector<Scalar>& other) {
    for (size_t i = 0; i < std::min(own.size(), other.size()); ++i)
      if (Ref<SymVar> s = find_ref<SymVar>(own[i]); s && defined_.insert(s).second) copy.map(s, other[i]);
  }
  void define(const Type& own, const Type& other) {
    const auto *a = find<TensorType>(own), *b = find<TensorType>(other);
    if (a && b && a->dims() && b->dims()) define(*a->dims(), *b->dims());
    const auto *c = find<ShapeType>(own), *d = find<ShapeType>(other);
    if (c && d && c->values && d->values) define(*c->values, *d->values);
    const auto *p = find<PrimType>(own), *q = find<PrimType>(other);
    if (p && q && p->value && q->value) define(std::vector{p->value}, std::vector{q->value});
    const auto *t = find<TupleType>(own), *u = find<TupleType>(other);
    for (size_t i = 0; t && u && i < std::min(t->fields.size(), u->fields.size()); ++i)
      define(t->fields[i], u->fields[i]);
  }
  std::unordered_set<Ref<SymVar>> defined_;
};

// The bindings of a transform without those that make its result, and the fields of that.
struct TakenApart {
  std::vector<Binding> bindings;
  std::vector<Expr> fields;
};
TakenApart take_apart(const Function& transform) {
  TakenApart out;
  Expr result = transform.body->body;
  std::unordered_map<Ref<Var>, Expr> values;
  for (const Ref<BindingBlock>& block : transform.body->blocks)
    for (const Binding& b : block->bindings) {
      out.bindings.push_back(b);
      values[b.var] = b.value;
    }
  if (auto it = values.find(find_ref<Var>(result)); it != values.end() && find<Tuple>(it->second)) {
    std::erase_if(out.bindings, [&](const Binding& b) { return Expr(b.var) == result; });
    result = it->second;
  }
  const auto* type = find<TupleType>(result->type);
  SUNMAO_CHECK(type, "a transform gives a tuple");
  const auto* tuple = find<Tuple>(result);
  if (tuple) out.fields = tuple->fields;
  for (size_t i = 0; !tuple && i < type->fields.size(); ++i) {
    Ref<Var> field = Var::make(fmt::format("param_{}", i), type->fields[i]);
    out.bindings.push_back({field, TupleGetItem::make(result, static_cast<int>(i)), nullptr, {}});
    out.fields.push_back(field);
  }
  return out;
}

class TransformBuilder {
 public:
  Ref<Function> build(const WeightWork& work, const PreparedWeights& prepared, const Ref<Function>& old,
                      const std::vector<std::string>& names) {
    if (old)
      continue_from(*unbundle_params(old, names), work.weights);
    else
      begin(work.weights);
    for (const Binding& b : needed_bindings(work, prepared)) bind(weights_.copy.copy(b));
    std::vector<Expr> fields;
    if (!prepared.symbols.empty()) fields.push_back(weights_.copy.copy(ShapeExpr::make(as_scalars(prepared.symbols))));
    for (const Ref<Var>& v : prepared.values) {
      const Expr value = weights_.copy.copy(Expr(v));
      if (is_taken_apart(v, work))
        give_fields(value, v->name, fields);
      else
        fields.push_back(value);
    }
    return finish(std::move(fields));
  }

 private:
  void begin(const std::vector<Ref<Var>>& weights) {
    OwnSymbols own(weights);
    std::vector<Ref<Var>> local;
    for (const Ref<Var>& w : weights) local.push_back(Var::make(w->name, own.of(w->type), w->span));
    // What one weight defines another may use, so all symbols come first.
    Ref<SeqExpr> nothing = SeqExpr::make({}, Tuple::make({}));
    const Ref<Function> fresh = FreshCopy().copy(Function::make(local, nothing, nullptr, true));
    params_ = fresh->params;
    for (size_t i = 0; i < weights.size(); ++i) weights_.take(weights[i], params_[i]);
  }

  // The old transform's bindings come first; its results stand where the weights stood.
  void continue_from(const Function& old, const std::vector<Ref<Var>>& weights) {
    params_ = old.params;
    is_plain_ = std::ranges::any_of(old.body->blocks, [](const auto& block) { return !block->is_dataflow; });
    TakenApart parts = take_apart(old);
    SUNMAO_CHECK(parts.fields.size() == weights.size(), "a transform of another function");
    bindings_ = std::move(parts.bindings);
    for (size_t i = 0; i < weights.size(); ++i) weights_.take(weights[i], parts.fields[i]);
  }

  static std::vector<Binding> needed_bindings(const WeightWork& work, const PreparedWeights& prepared) {
    std::unordered_set<Ref<Var>> needed(prepared.values.begin(), prepared.values.end());
    std::unordered_set<Ref<SymVar>> symbols(prepared.symbols.begin(), prepared.symbols.end());
    std::vector<Binding> out;
    for (auto step = work.steps.rbegin(); step != work.steps.rend(); ++step) {
      const Binding& b = step->binding;
      const bool defines = b.is_match_cast() && std::ranges::any_of(defined_symbols(b.cast_type),
                                                                    [&](const auto& s) { return symbols.contains(s); });
      if (!defines && !needed.contains(b.var)) continue;
      for (const Ref<Var>& v : free_vars(b.value)) needed.insert(v);
      for (const Ref<SymVar>& s : free_symbols(b.var->type)) symbols.insert(s);
      for (const Ref<SymVar>& s : free_symbolic_vars(b.value)) symbols.insert(s);
      out.push_back(b);
    }
    std::ranges::reverse(out);
    if (work.reads_in_order) sort_by_weights(out, work.weights);
    return out;
  }

  // What reads earlier weights alone comes first.
  static void sort_by_weights(std::vector<Binding>& bindings, const std::vector<Ref<Var>>& weights) {
    std::unordered_map<Ref<Var>, size_t> last;
    for (size_t i = 0; i < weights.size(); ++i) last.emplace(weights[i], i);
    for (const Binding& b : bindings) {
      size_t& own = last[b.var];
      for (const Ref<Var>& v : free_vars(b.value)) own = std::max(own, last[v]);
    }
    std::ranges::stable_sort(bindings, {}, [&](const Binding& b) { return last.at(b.var); });
  }

  // Inside a dataflow block nothing but its results is seen outside; canonical form says which are.
  void bind(Binding b) {
    is_plain_ |= static_cast<bool>(find<If>(b.value));
    bindings_.push_back(std::move(b));
  }
  Ref<Var> bind(const std::string& name, const Expr& value) {
    Ref<Var> var = Var::make_dataflow(name, value->type);
    bind({var, value, nullptr, {}});
    return var;
  }

  void give_fields(const Expr& value, const std::string& name, std::vector<Expr>& fields) {
    const auto* type = find<TupleType>(value->type);
    if (!type) return fields.push_back(value);
    for (size_t i = 0; i < type->fields.size(); ++i) {
      const std::string field = fmt::format("{}_{}", name, i);
      give_fields(bind(field, TupleGetItem::make(value, static_cast<int>(i))), field, fields);
    }
  }

  Ref<Function> finish(std::vector<Expr> fields) {
    if (fields.empty()) return Function::make(params_, SeqExpr::make({}, Tuple::make({})), nullptr, true);
    const Expr tuple = Tuple::make(std::move(fields));
    Ref<Var> result = Var::make("gv", tuple->type);
    bind({result, tuple, nullptr, {}});
    Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make_dataflow(std::move(bindings_))}, result);
    Ref<Function> f = Function::make(params_, body, nullptr, true);
    return is_plain_ ? without_dataflow(f) : f;
  }

  WeightCopy weights_;
  std::vector<Ref<Var>> params_;
  std::vector<Binding> bindings_;
  bool is_plain_ = false;  // a block that branches is no dataflow block
};

// Work reads each field of the tuple once. With `consume` nothing reads it twice, and behind the read the field is
// emptied, so that its memory can go when its work is done.
class ReadOnce final : public Rewriter {
 public:
  ReadOnce(Ref<Var> tuple, bool consume) : tuple_(std::move(tuple)), consume_(consume) {}

  Ref<Function> run(const Ref<Function>& f) {
    if (!consume_) find_given(*f);
    return rewrite(f);
  }

 private:
  using Rewriter::visit;

  // A weight that is given back as it is has a read of its own.
  void find_given(const Function& f) {
    for (const Ref<BindingBlock>& block : f.body->blocks)
      for (const Binding& b : block->bindings)
        if (const auto* result = b.var == f.body->body ? find<Tuple>(b.value) : nullptr)
          for (const Expr& field : result->fields) given_.insert(find_ref<Var>(field));
  }

  void visit(const Binding& b) override {
    const auto* item = find<TupleGetItem>(b.value);
    if (!item || item->tuple != tuple_ || given_.contains(b.var)) return Rewriter::visit(b);
    if (auto known = read_.find(item->index); known != read_.end()) return replace(b.var, known->second);
    Rewriter::visit(b);
    if (in_branch_) return;
    read_.emplace(item->index, b.var);
    if (!consume_) return;
    const Expr index = PrimValue::make(IntImm::make(DType::int_(32), item->index));
    emit(Call::make(builtin_ops().get("call_pure_packed"), {ExternFunc::make(kResetItem), Tuple::make({tuple_, index})},
                    {}, {TupleType::make({})}, b.span),
         "_");
  }

  // What one branch reads the other may read as well.
  Expr visit(const If& branch) override {
    const bool outer = std::exchange(in_branch_, true);
    Expr visited = Rewriter::visit(branch);
    in_branch_ = outer;
    return visited;
  }

  const Ref<Var> tuple_;
  const bool consume_;
  std::unordered_set<Ref<Var>> given_;
  std::unordered_map<int, Ref<Var>> read_;
  bool in_branch_ = false;
};

class Remainder final : public Rewriter {
 public:
  Ref<Function> build(const WorkSource& source, const WeightWork& work, const WeightWork::Names& names,
                      const PreparedWeights& prepared) {
    const Function& f = *source.function;
    lifted_ = lifted_vars(source, work, names);
    params_ = {f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(source.inputs)};
    for (const Ref<Var>& p : params_) supply_.reserve(p->name);
    if (!prepared.symbols.empty()) take_symbols(prepared.symbols, names);
    for (const Ref<Var>& common : prepared.values) {
      if (is_taken_apart(common, work)) {
        parts_.emplace(common, fields_of(common->type, common->name, names));
        continue;
      }
      const Ref<Var> own = own_of(common, names);
      params_.push_back(parameter(own ? own->name : common->name, own ? own->type : own_type(common->type, names)));
      if (own) replace(own, params_.back());
    }
    for (const auto& [own, common] : names.vars)
      if (parts_.contains(common)) tuples_.emplace(own, parts_.at(common));
    Ref<SeqExpr> body = visit_seq(f.body);
    return Function::make(std::move(params_), body, f.result_type, f.is_pure, f.attrs, f.span);
  }

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    if (auto parts = tuples_.find(b.var); parts != tuples_.end()) return bind(b, parts->second);
    if (!lifted_.contains(b.var)) Rewriter::visit(b);
  }

  static Ref<Var> own_of(const Ref<Var>& common, const WeightWork::Names& names) {
    for (const auto& [own, other] : names.vars)
      if (other == common) return own;
    return nullptr;
  }

  // A type of another function's in the symbols of this one.
  static Type own_type(const Type& common, const WeightWork::Names& names) {
    Substitution symbols;
    for (const auto& [own, other] : names.symbols) symbols.emplace(other, own);
    return substitute(common, symbols);
  }

  Ref<Var> parameter(const std::string& name, Type type) { return Var::make(supply_.fresh(name), std::move(type)); }

  void take_symbols(const std::vector<Ref<SymVar>>& symbols, const WeightWork::Names& names) {
    Type type = ShapeType::make(as_scalars(symbols));
    params_.push_back(parameter("vars_from_compile_time_params", own_type(type, names)));
  }

  Expr fields_of(const Type& type, const std::string& name, const WeightWork::Names& names) {
    const auto* tuple = find<TupleType>(type);
    if (!tuple) {
      params_.push_back(parameter(name, own_type(type, names)));
      return params_.back();
    }
    std::vector<Expr> fields;
    for (size_t i = 0; i < tuple->fields.size(); ++i)
      fields.push_back(fields_of(tuple->fields[i], fmt::format("{}_{}", name, i), names));
    return Tuple::make(std::move(fields));
  }

  std::unordered_set<Ref<Var>> lifted_;
  std::vector<Ref<Var>> params_;
  std::unordered_map<Ref<Var>, Expr> parts_, tuples_;
  NameSupply supply_;
};

// Which of the function's parameters a value is made of, by their places.
class Origins final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<std::set<int>> of_result(const Function& f) {
    for (size_t i = 0; i < f.params.size(); ++i) {
      made_of_[f.params[i]] = {static_cast<int>(i)};
      for (const Ref<SymVar>& s : defined_symbols(f.params[i]->type)) said_by_[s].insert(static_cast<int>(i));
    }
    visit(*f.body);
    const Expr result = value_of(f.body->body);
    if (const auto* tuple = find<Tuple>(result)) {
      std::vector<std::set<int>> out;
      for (const Expr& field : tuple->fields) out.push_back(of(field));
      return out;
    }
    const auto* type = find<TupleType>(result->type);
    return {type ? type->fields.size() : 0, of(result)};
  }

 private:
  void visit(const Binding& b) override {
    values_[b.var] = b.value;
    made_of_[b.var] = of(b.value);
  }
  std::set<int> of(const Expr& e) const {
    std::set<int> out;
    for (const Ref<Var>& v : free_vars(e))
      if (auto it = made_of_.find(v); it != made_of_.end()) out.insert(it->second.begin(), it->second.end());
    if (!find<ShapeExpr>(e)) return out;
    for (const Ref<SymVar>& s : free_symbols(e->type))
      if (auto it = said_by_.find(s); it != said_by_.end()) out.insert(it->second.begin(), it->second.end());
    return out;
  }
  Expr value_of(const Expr& e) const {
    auto it = values_.find(find_ref<Var>(e));
    return it == values_.end() ? e : it->second;
  }
  std::unordered_map<Ref<Var>, Expr> values_;
  std::unordered_map<Ref<Var>, std::set<int>> made_of_;
  std::unordered_map<Ref<SymVar>, std::set<int>> said_by_;
};

}  // namespace

PreparedWeights find_prepared_weights(const std::vector<WorkSource>& sources, const WeightWork& work) {
  std::unordered_set<Ref<Var>> needed;
  std::vector<Ref<SymVar>> symbols;  // needed, and said by weights or their casts
  for (size_t i = 0; i < sources.size(); ++i) {
    const WeightWork::Names& names = work.names[i];
    const WorkSource& source = sources[i];
    const std::unordered_set<Ref<Var>> lifted = lifted_vars(source, work, names);
    const std::vector<Ref<Var>> weights = source.weights();
    RuntimeUses uses(*source.function, lifted);
    for (const Ref<Var>& v : uses.vars)
      if (lifted.contains(v) || contains(weights, v)) needed.insert(names.vars.at(v));
    std::unordered_set<Ref<SymVar>> given;
    for (size_t k = 0; k < source.inputs; ++k) {
      uses.need(source.function->params[k]->type);
      for (const Ref<SymVar>& s : defined_symbols(source.function->params[k]->type)) given.insert(s);
    }
    for (const Ref<SymVar>& s : uses.symbols)
      if (auto it = names.symbols.find(s);
          it != names.symbols.end() && !given.contains(s) && !contains(symbols, it->second))
        symbols.push_back(it->second);
  }
  PreparedWeights prepared;
  for (const Ref<Var>& w : work.weights)
    if (needed.contains(w)) prepared.values.push_back(w);
  for (const WeightWork::Step& step : work.steps)
    if (step.is_lifted && !step.is_constant && needed.contains(step.binding.var))
      prepared.values.push_back(step.binding.var);
  // Types of prepared weights may need symbols too.
  std::unordered_set<Ref<SymVar>> said;
  for (const Ref<Var>& v : prepared.values) {
    for (const Ref<SymVar>& s : defined_symbols(v->type)) said.insert(s);
    for (const Ref<SymVar>& s : free_symbols(v->type)) {
      const bool known = std::ranges::any_of(work.names, [&](const auto& n) {
        return std::ranges::any_of(n.symbols, [&](const auto& pair) { return pair.second == s; });
      });
      if (known && !contains(symbols, s)) symbols.push_back(s);
    }
  }
  for (const Ref<SymVar>& s : symbols)
    if (!said.contains(s)) prepared.symbols.push_back(s);
  return prepared;
}

bool is_all_prepared(const WeightWork& work, const PreparedWeights& prepared) {
  if (prepared.symbols.empty()) return prepared.values == work.weights;
  // An earlier transform gives a shape for the symbols.
  const auto* shape = work.weights.empty() ? nullptr : find<ShapeType>(work.weights[0]->type);
  return shape && shape->values && *shape->values == as_scalars(prepared.symbols) &&
         std::ranges::equal(prepared.values, std::span(work.weights).subspan(1));
}

Ref<Function> build_transform(const WeightWork& work, const PreparedWeights& prepared, const Ref<Function>& old,
                              const std::vector<std::string>& names, bool consume) {
  Ref<Function> f = TransformBuilder().build(work, prepared, old, names);
  f = bundle_params(f, 0, kBundledParamsName);
  f = find_ref<Function>(remove_all_unused(Expr(canonical(f))));
  return ReadOnce(f->params[0], consume).run(f);
}

Ref<Function> build_remainder(const WorkSource& source, const WeightWork& work, const WeightWork::Names& names,
                              const PreparedWeights& prepared) {
  return canonicalize_bindings(Remainder().build(source, work, names, prepared));
}

Ref<Function> undo_transform(const WorkSource& source, const Ref<Function>& transform,
                             const std::vector<std::string>& names) {
  const Ref<Function> raw = without_dataflow(unbundle_params(transform, names));
  const Function& f = *source.function;
  TakenApart parts = take_apart(*raw);
  WeightCopy copies;
  std::vector<Ref<Var>> params;
  for (size_t i = 0; i < source.inputs; ++i) params.push_back(copies.copy.define(f.params[i]));
  const std::vector<Ref<Var>> weights = source.weights();
  SUNMAO_CHECK(parts.fields.size() == weights.size(), "a transform of another function");
  for (size_t i = 0; i < weights.size(); ++i) copies.take(weights[i], parts.fields[i]);
  params.insert(params.end(), raw->params.begin(), raw->params.end());
  Ref<SeqExpr> body = copies.copy.copy(f.body);
  std::vector<Ref<BindingBlock>> blocks{BindingBlock::make(std::move(parts.bindings))};
  blocks.insert(blocks.end(), body->blocks.begin(), body->blocks.end());
  body = SeqExpr::make(std::move(blocks), body->body, body->span);
  return canonical(Function::make(std::move(params), body, copies.copy.copy(f.result_type), f.is_pure,
                                  f.attrs.without(kParamTransformAttr), f.span));
}

AttrMap prepared_from(const Function& transform, const std::vector<std::string>& names,
                      const std::vector<std::string>& raw_names) {
  const Ref<Function> f = unbundle_params(Ref<Function>(&transform), raw_names);
  const std::vector<std::set<int>> origins = Origins().of_result(*f);
  AttrMap out;
  for (size_t i = 0; i < std::min(names.size(), origins.size()); ++i) {
    AttrList from;
    for (int raw : origins[i]) from.emplace_back(f->params[static_cast<size_t>(raw)]->name);
    out.emplace(names[i], std::move(from));
  }
  return out;
}

}  // namespace sunmao
