#include "passes/weights/lift_transform.h"

#include <algorithm>

#include "eval/host_function.h"
#include "ir/copy.h"
#include "ops/ops.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/matched_scalars.h"
#include "passes/analysis/result_tuple.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/canonical/canonicalize_bindings.h"
#include "passes/weights/bundle_model_params.h"
#include "passes/weights/parameter_stages.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Rewrites the types of weights: each dimension with a symbol that no weight defines is replaced by a fresh symbol.
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

// Copies expressions with values substituted for weights, and symbols of the weights' types substituted by the
// dimensions in the values' types.
class WeightCopy {
 public:
  FreshCopy copy;

  void take(const Ref<Var>& weight, const Expr& value) {
    for_each_matched(weight->type, value->type, [&](const Type&, const Scalar& own, const Scalar& other) {
      if (Ref<SymVar> s = find_ref<SymVar>(own); s && defined_.insert(s).second) copy.map(s, other);
    });
    copy.map(weight, value);
  }

 private:
  std::unordered_set<Ref<SymVar>> defined_;
};

// The bindings of a transform, except that of its result tuple, and the fields of the result.
struct TakenApart {
  std::vector<Binding> bindings;
  std::vector<Expr> fields;
};
TakenApart take_apart(const Function& transform) {
  TakenApart out;
  const ResultTuple literal = find_result_tuple(transform);
  for (const Ref<BindingBlock>& block : transform.body->blocks)
    for (const Binding& b : block->bindings)
      if (b.var != literal.var) out.bindings.push_back(b);
  if (literal.tuple) {
    out.fields = literal.tuple->fields;
    return out;
  }
  const Expr& result = transform.body->body;
  const auto* type = find<TupleType>(result->type);
  SUNMAO_CHECK(type, "a transform gives a tuple");
  for (size_t i = 0; i < type->fields.size(); ++i) {
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
    if (!prepared.symbols.empty())
      fields.push_back(weights_.copy.copy(ShapeExpr::make({prepared.symbols.begin(), prepared.symbols.end()})));
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
    // A weight's type may use symbols that a later weight defines, so all symbols are copied first.
    Ref<SeqExpr> nothing = SeqExpr::make({}, Tuple::make({}));
    const Ref<Function> fresh = FreshCopy().copy(Function::make(local, nothing, nullptr, true));
    params_ = fresh->params;
    for (size_t i = 0; i < weights.size(); ++i) weights_.take(weights[i], params_[i]);
  }

  // The bindings of the old transform come first; its results replace the weights.
  void continue_from(const Function& old, const std::vector<Ref<Var>>& weights) {
    params_ = old.params;
    is_pure_ = old.is_pure;
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

  // Sorts bindings by the last weight, in parameter order, that they depend on through variables or symbols. A symbol
  // depends on the weights that its first definition depends on, which is a weight or a match_cast.
  static void sort_by_weights(std::vector<Binding>& bindings, const std::vector<Ref<Var>>& weights) {
    std::unordered_map<Ref<Var>, size_t> last;
    std::unordered_map<Ref<SymVar>, size_t> last_of_symbol;
    auto define_symbols = [&](const Type& type, size_t weight) {
      for (const Ref<SymVar>& s : defined_symbols(type)) last_of_symbol.try_emplace(s, weight);
    };
    for (size_t i = 0; i < weights.size(); ++i) {
      last.emplace(weights[i], i);
      define_symbols(weights[i]->type, i);
    }
    for (const Binding& b : bindings) {
      size_t& own = last[b.var];
      for (const Ref<Var>& v : free_vars(b.value)) own = std::max(own, last[v]);
      for (const std::vector<Ref<SymVar>>& symbols : {free_symbolic_vars(b.value), free_symbols(b.var->type)})
        for (const Ref<SymVar>& s : symbols)
          if (auto known = last_of_symbol.find(s); known != last_of_symbol.end()) own = std::max(own, known->second);
      if (b.is_match_cast()) define_symbols(b.cast_type, own);
    }
    std::ranges::stable_sort(bindings, {}, [&](const Binding& b) { return last.at(b.var); });
  }

  // Appends a binding to the only block of the transform. A conditional makes it a plain block, since dataflow blocks
  // contain no branches.
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
    if (fields.empty() && is_pure_)
      return Function::make(params_, SeqExpr::make({}, Tuple::make({})), nullptr, is_pure_);
    const Expr tuple = Tuple::make(std::move(fields));
    Ref<Var> result = Var::make("gv", tuple->type);
    bind({result, tuple, nullptr, {}});
    Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make_dataflow(std::move(bindings_))}, result);
    Ref<Function> f = Function::make(params_, body, nullptr, is_pure_);
    return is_plain_ ? without_dataflow(f) : f;
  }

  WeightCopy weights_;
  std::vector<Ref<Var>> params_;
  std::vector<Binding> bindings_;
  bool is_pure_ = true;
  bool is_plain_ = false;  // the block is not a dataflow block: it contains a branch, or `old` has plain blocks
};

// Merges reads of the same tuple field. With `consume`, each field is read only once and then reset, so that its memory
// can be freed after its last use.
class ReadOnce final : public Rewriter {
 public:
  ReadOnce(Ref<Var> tuple, bool consume) : tuple_(std::move(tuple)), consume_(consume) {}

  Ref<Function> run(const Ref<Function>& f) {
    // The read of a field that is returned unchanged is not merged with other reads of that field.
    if (const ResultTuple result = find_result_tuple(*f); result.tuple && !consume_)
      for (const Expr& field : result.tuple->fields) given_.insert(find_ref<Var>(field));
    return rewrite(f);
  }

 private:
  using Rewriter::visit;

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

  // A field read in one branch may also be read in the other, so reads in branches are not merged.
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

}  // namespace

Ref<Function> build_transform(const WeightWork& work, const PreparedWeights& prepared, const Ref<Function>& old,
                              const std::vector<std::string>& names, bool consume) {
  Ref<Function> f = TransformBuilder().build(work, prepared, old, names);
  f = bundle_params(f, 0, kBundledParamsName);
  f = find_ref<Function>(remove_all_unused(Expr(canonical_form(f))));
  return ReadOnce(f->params[0], consume).run(f);
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
  std::vector<Ref<BindingBlock>> blocks;
  if (!parts.bindings.empty()) blocks.push_back(BindingBlock::make(std::move(parts.bindings)));
  blocks.insert(blocks.end(), body->blocks.begin(), body->blocks.end());
  body = SeqExpr::make(std::move(blocks), body->body, body->span);
  return canonical_form(Function::make(std::move(params), body, copies.copy.copy(f.result_type),
                                       f.is_pure && raw->is_pure, f.attrs.without(kParamTransformAttr), f.span));
}

}  // namespace sunmao
