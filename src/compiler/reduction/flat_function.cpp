#include "compiler/reduction/flat_function.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/equal.h"
#include "ir/source_names.h"
#include "passes/analysis/state_params.h"

namespace sunmao::reduction {
namespace {

constexpr const char* kNumInput = "num_input";

void collect_shape_vars(const Type& type, std::vector<Ref<Var>>& out) {
  if (const auto* tuple = find<TupleType>(type))
    for (const Type& field : tuple->fields) collect_shape_vars(field, out);
  if (const auto* tensor = find<TensorType>(type))
    if (Ref<Var> shape = find_ref<Var>(tensor->shape)) out.push_back(shape);
}

bool is_result(const Type& type) {
  if (!type || find<CallableType>(type)) return false;
  const auto* tuple = find<TupleType>(type);
  return !tuple || !tuple->fields.empty();
}

Expr zeros_of(const Ref<Var>& var) {
  const auto* tensor = find<TensorType>(var->type);
  if (!tensor || !tensor->dims() || tensor->is_unknown_dtype()) throw NoCandidate{};
  std::vector<int64_t> shape;
  for (const Scalar& d : *tensor->dims()) {
    const int64_t* size = find_int(d);
    if (!size) throw NoCandidate{};
    shape.push_back(*size);
  }
  return Constant::make(ArrayBuilder(tensor->dtype, std::move(shape)).finish(), var->span);
}

/// Replaces variables by others of the same types.
class Exchange final : private Rewriter {
 public:
  explicit Exchange(const std::unordered_map<Ref<Var>, Ref<Var>>& variables) {
    for (const auto& [from, to] : variables) replace(from, to);
  }
  Expr in(const Expr& e) { return Rewriter::visit(e); }
};

/// Builds one function.
class Assembly final : private Rewriter {
 public:
  Assembly(const FlatFunction& flat, const FlatEdits& edits) : flat_(flat), edits_(edits) {}

  Ref<Function> run() {
    for (const std::vector<Ref<Var>>* list : {&flat_.inputs, &flat_.weights})
      for (const Ref<Var>& p : *list) {
        names_.reserve(p->name);
        params_[p] = edits_.type ? p->with_type(edits_.type(p->type)) : p;
        map_[p] = params_[p];
      }
    for (const FlatBinding& b : flat_.bindings) names_.reserve(b.binding.var->name);
    for (const FlatBinding& b : flat_.bindings) add(b);
    add_results();
    show_results();
    return assembled();
  }

 private:
  using Rewriter::visit;

  Expr visit(const Var& var) override {
    const Ref<Var> ref(&var);
    if (auto it = edits_.values.find(ref); it != edits_.values.end()) return Rewriter::visit(it->second);
    if (auto it = map_.find(ref); it != map_.end()) return used(it->second);
    if (!flat_.known.contains(ref)) return Rewriter::visit(var);
    return used(map_[ref] = made_up(ref));
  }

  Expr visit(const Call& call) override {
    const Expr callee = Rewriter::visit(call.callee);
    std::vector<Expr> args;
    for (const Expr& a : call.args) args.push_back(Rewriter::visit(a));
    std::vector<Type> type_args = call.type_args;
    if (edits_.type)
      for (Type& t : type_args) t = edits_.type(t);
    const Attrs attrs = edits_.attrs ? edits_.attrs(call) : call.attrs;
    const bool is_same = attrs.same_as(call.attrs) && type_args == call.type_args && callee == call.callee;
    if (is_same && args == call.args) return Expr(&call);
    if (find<GlobalVar>(callee))
      return Call::make_typed(callee, std::move(args), attrs, std::move(type_args), mapped(call.type), call.span);
    return Call::make(callee, std::move(args), attrs, std::move(type_args), call.span);
  }

  Expr visit_leaf(const Expr& e) override { return edits_.leaf ? used(edits_.leaf(e)) : e; }

  Type mapped(const Type& type) const { return edits_.type && type ? edits_.type(type) : type; }

  Expr used(const Expr& value) {
    const Ref<Var> var = find_ref<Var>(value);
    if (!var) return value;
    used_.insert(var);
    auto home = home_.find(var);
    if (var->is_dataflow && home != home_.end() && home->second != block_) shown_.emplace(var, nullptr);
    return value;
  }

  Expr made_up(const Ref<Var>& removed) {
    if (flat_.keeps_signature) return zeros_of(removed->with_type(mapped(removed->type)));
    added_.push_back(Var::make(names_.fresh(removed->name, "_"), mapped(removed->type), removed->span));
    return added_.back();
  }

  void add(const FlatBinding& from) {
    block_ = from.block;
    const Binding& old = from.binding;
    if (find<Function>(old.value)) map_[old.var] = old.var;  // it may call itself
    Expr value = Rewriter::visit(old.value);
    const Type cast = old.is_match_cast() ? mapped(old.cast_type) : old.cast_type;
    Ref<Var> var = old.var;
    const Type& type = cast ? cast : value->type;
    const bool is_new = cast || value != old.value || !var->type;
    if (type && is_new && type != var->type && !(var->type && structural_equal(type, var->type)))
      var = var->with_type(type);
    std::vector<Ref<Var>> shapes;
    collect_shape_vars(var->type, shapes);
    for (const Ref<Var>& shape : shapes) {
      if (!map_.contains(shape) && flat_.known.contains(shape)) throw NoCandidate{};
      used(map_.contains(shape) ? map_[shape] : Expr(shape));
    }
    map_[old.var] = var;
    home_[var] = from.block;
    bindings_.push_back({{var, std::move(value), cast, old.span}, from.block, from.is_dataflow});
  }

  bool is_removed(const Expr& e) const {
    return std::ranges::any_of(free_vars(e), [&](const Ref<Var>& v) {
      if (auto it = edits_.values.find(v); it != edits_.values.end()) return is_removed(it->second);
      return flat_.known.contains(v) && !map_.contains(v);
    });
  }

  bool is_computed(const Expr& e) const {
    return std::ranges::any_of(free_vars(e), [&](const Ref<Var>& v) { return home_.contains(v); });
  }

  void add_results() {
    block_ = static_cast<size_t>(-1);
    std::vector<Expr> spare;
    for (const Expr& field : flat_.results) {
      if (!flat_.keeps_signature && is_removed(field)) continue;
      const Expr result = Rewriter::visit(field);
      (flat_.keeps_signature || is_computed(result) ? results_ : spare).push_back(result);
    }
    if (flat_.returns_unused && !flat_.keeps_signature)
      for (const FlatBinding& b : bindings_)
        if (!used_.contains(b.binding.var) && is_result(b.binding.var->type)) results_.push_back(used(b.binding.var));
    if (results_.empty() && !spare.empty()) results_.push_back(spare.front());
    if (results_.empty() && !flat_.inputs.empty()) results_.push_back(used(map_[flat_.inputs.front()]));
  }

  // A dataflow variable that is used outside of its block becomes one that is visible there.
  void show_results() {
    if (shown_.empty()) return;
    for (auto& [var, visible] : shown_) visible = Var::make(var->name, var->type, var->span);
    Exchange exchange(shown_);
    for (FlatBinding& b : bindings_) {
      const auto it = shown_.find(b.binding.var);
      b.binding = {it == shown_.end() ? b.binding.var : it->second, exchange.in(b.binding.value), b.binding.cast_type,
                   b.binding.span};
    }
    for (Expr& r : results_) r = exchange.in(r);
  }

  std::vector<Ref<BindingBlock>> blocks() const {
    std::vector<Ref<BindingBlock>> out;
    for (size_t i = 0; i < bindings_.size();) {
      std::vector<Binding> in_block;
      const size_t first = i;
      for (; i < bindings_.size() && bindings_[i].block == bindings_[first].block; ++i)
        in_block.push_back(bindings_[i].binding);
      out.push_back(bindings_[first].is_dataflow ? BindingBlock::make_dataflow(std::move(in_block))
                                                 : BindingBlock::make(std::move(in_block)));
    }
    return out;
  }

  // Returns the parameters of the list that are used, or define symbols that no other one defines.
  std::vector<Ref<Var>> kept(const std::vector<Ref<Var>>& list, std::unordered_set<Ref<SymVar>>& needed) {
    std::vector<Ref<Var>> out;
    for (const Ref<Var>& old : list) {
      const Ref<Var> p = param_of(old);
      bool is_needed = flat_.keeps_signature || used_.contains(p);
      for (const Ref<SymVar>& s : defined_symbols(p->type)) is_needed |= needed.contains(s);
      if (!is_needed) continue;
      for (const Ref<SymVar>& s : defined_symbols(p->type)) needed.erase(s);
      out.push_back(p);
    }
    return out;
  }

  const Ref<Var>& param_of(const Ref<Var>& old) const { return params_.at(old); }

  std::unordered_set<Ref<SymVar>> needed_symbols() const {
    std::unordered_set<Ref<SymVar>> needed;
    const auto need = [&](const Type& type) {
      if (!type) return;
      for (const Ref<SymVar>& s : free_symbols(type)) needed.insert(s);
    };
    for (const FlatBinding& b : bindings_) need(b.binding.var->type);
    for (const Ref<Var>& p : added_) need(p->type);
    const auto define = [&](const Type& type) {
      for (const Ref<SymVar>& s : defined_symbols(type)) needed.erase(s);
    };
    for (const Ref<Var>& p : added_) define(p->type);
    for (const std::vector<Ref<Var>>* list : {&flat_.inputs, &flat_.weights})
      for (const Ref<Var>& old : *list) {
        const Ref<Var> p = param_of(old);
        if (used_.contains(p)) need(p->type);
      }
    for (const std::vector<Ref<Var>>* list : {&flat_.inputs, &flat_.weights})
      for (const Ref<Var>& old : *list)
        if (const Ref<Var> p = param_of(old); used_.contains(p)) define(p->type);
    for (const FlatBinding& b : bindings_)
      if (b.binding.is_match_cast()) define(b.binding.cast_type);
    return needed;
  }

  Attrs attributes(size_t inputs, size_t params) const {
    Attrs attrs = flat_.original->attrs;
    if (flat_.keeps_signature) return attrs;
    for (const char* name : {kSourceOutputsAttr, kNestingAttr, kStateNamesAttr, kKeepsStateAttr})
      attrs = attrs.without(name);
    if (!attrs.has(kNumInput)) return attrs;
    return inputs == params ? attrs.without(kNumInput) : attrs.with(kNumInput, static_cast<int64_t>(inputs));
  }

  Ref<Function> assembled() {
    std::unordered_set<Ref<SymVar>> needed = needed_symbols();
    std::vector<Ref<Var>> params = kept(flat_.inputs, needed);
    params.insert(params.end(), added_.begin(), added_.end());
    const size_t inputs = params.size();
    const std::vector<Ref<Var>> weights = kept(flat_.weights, needed);
    params.insert(params.end(), weights.begin(), weights.end());
    const bool is_tuple = results_.size() != 1 || (flat_.keeps_signature && find<Tuple>(flat_.original->body->body));
    const Expr body = is_tuple ? Expr(Tuple::make(results_)) : results_.front();
    Type promised = flat_.keeps_signature ? mapped(flat_.original->result_type) : Type();
    const Attrs attrs = attributes(inputs, params.size());
    return Function::make(std::move(params), SeqExpr::make(blocks(), body, flat_.original->body->span),
                          std::move(promised), flat_.original->is_pure, attrs, flat_.original->span);
  }

  const FlatFunction& flat_;
  const FlatEdits& edits_;
  NameSupply names_;
  std::unordered_map<Ref<Var>, Expr> map_;         // what stands for a variable of the original
  std::unordered_map<Ref<Var>, Ref<Var>> params_;  // the new parameters
  std::unordered_map<Ref<Var>, size_t> home_;      // the block of each new binding
  std::unordered_map<Ref<Var>, Ref<Var>> shown_;   // dataflow variables, and visible ones in their place
  std::unordered_set<Ref<Var>> used_;
  std::vector<FlatBinding> bindings_;
  std::vector<Expr> results_;
  std::vector<Ref<Var>> added_;
  size_t block_ = 0;
};

}  // namespace

FlatFunction flatten(const Ref<Function>& function) {
  FlatFunction flat{.original = function, .inputs = {}, .weights = {}, .bindings = {}, .results = {}};
  const int64_t* given = function->attr<int64_t>(kNumInput);
  const size_t count = given ? static_cast<size_t>(std::max<int64_t>(*given, 0)) : function->params.size();
  for (size_t i = 0; i < function->params.size(); ++i)
    (i < count ? flat.inputs : flat.weights).push_back(function->params[i]);
  for (size_t i = 0; i < function->body->blocks.size(); ++i)
    for (const Binding& b : function->body->blocks[i]->bindings) {
      flat.bindings.push_back({b, i, function->body->blocks[i]->is_dataflow});
      flat.known.insert(b.var);
    }
  const auto* tuple = find<Tuple>(function->body->body);
  flat.results = tuple ? tuple->fields : std::vector<Expr>{function->body->body};
  return flat;
}

Ref<Function> build(const FlatFunction& flat, const FlatEdits& edits) { return Assembly(flat, edits).run(); }

}  // namespace sunmao::reduction
