#include "frontend/control_flow.h"

#include <algorithm>
#include <exception>

#include "frontend/findings.h"
#include "frontend/shapes.h"
#include "ir/copy.h"
#include "ir/type_relation.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

Expr as_scalar(ModelBuilder& builder, const Expr& condition, const Span& span) {
  const std::vector<Scalar>* dims = dims_of(condition);
  if (!dims) throw UnsupportedUse{"whose condition is of unknown shape"};
  const DType dtype = dtype_of(condition);
  Expr one = dims->empty() ? condition : reshaped(builder, condition, {}, span);
  return dtype.is_bool() ? one : converted(builder, one, DType::bool_(), span);
}

Expr result_of(std::vector<Expr> values, const Span& span) {
  return values.size() == 1 ? values[0] : Expr(Tuple::make(std::move(values), span));
}

/// A function of the module in the making: its parameters, with what a call of it passes for those behind `own`.
struct NewFunction {
  std::vector<Ref<Var>> params;
  std::vector<Expr> passed;

  /// Adds parameters for what `body` uses and defines nowhere: variables, then symbols.
  void capture(const Ref<SeqExpr>& body) {
    for (const Ref<Var>& v : free_vars(Expr(body))) {
      if (std::ranges::find(params, v) != params.end()) continue;
      params.push_back(v);
      passed.emplace_back(v);
    }
    std::unordered_set<Ref<SymVar>> defined;
    for (const Ref<Var>& p : params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) defined.insert(s);
    std::vector<Scalar> sizes;
    for (const Ref<SymVar>& s : free_symbolic_vars(Function::make(params, body, nullptr, true)))
      if (defined.insert(s).second) sizes.emplace_back(s);
    if (sizes.empty()) return;
    params.push_back(Var::make("sizes", ShapeType::make(sizes)));
    passed.push_back(ShapeExpr::make(std::move(sizes)));
  }

  /// Returns a type in terms of the parameters.
  Type in_own_terms(const Type& type) const {
    Substitution symbols;
    for (const Ref<Var>& p : params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) symbols.emplace(s, s);
    return erase_to_well_defined(type, symbols);
  }

  void add_to(ModelBuilder& builder, const Ref<GlobalVar>& name, const Ref<SeqExpr>& body, const Type& type,
              const Span& span) const {
    const Ref<Function> f = Function::make(params, body, in_own_terms(type), true, {}, span);
    builder.add_function(name, FreshCopy().copy(f));
  }
};

Expr call_of(const Ref<GlobalVar>& name, std::vector<Expr> args, const NewFunction& f, const Type& result,
             const Span& span) {
  std::vector<Type> params;
  for (const Ref<Var>& p : f.params) params.push_back(p->type);
  const Type signature = CallableType::make(std::move(params), f.in_own_terms(result), true);
  Type type = infer_call(*find<CallableType>(signature), args, span, name->name);
  return Call::make_typed(name, std::move(args), {}, {}, std::move(type), span);
}

Ref<SeqExpr> read_body(ModelBuilder& builder, const ReadBody& read, std::vector<Expr>& results, const Span& span) {
  ModelBuilder::Body body(builder);
  results = read();
  return body.finish(results, span);
}

/// Returns the sizes that two values have in common, with null for the others; empty when their ranks differ or are
/// unknown.
std::vector<Scalar> common_sizes(ModelBuilder& builder, const Expr& x, const Expr& y) {
  const std::vector<Scalar>*a = dims_of(x), *b = dims_of(y);
  if (!a || !b || a->size() != b->size()) return {};
  std::vector<Scalar> out = *a;
  for (size_t d = 0; d < out.size(); ++d)
    if (!builder.can_prove(Binary::make(BinaryOp::Eq, out[d], (*b)[d]))) out[d] = nullptr;
  return out;
}

/// The type of a value that a loop carries: the sizes that steps change are symbols of its own.
Type carried_type(ModelBuilder& builder, const Type& start, const std::vector<bool>& changes, const std::string& name) {
  const auto* tensor = find<TensorType>(start);
  if (!tensor || !tensor->dims()) return start;
  std::vector<Scalar> dims = *tensor->dims();
  for (size_t d = 0; d < dims.size(); ++d)
    if (changes[d]) dims[d] = builder.new_size(fmt::format("{}_dim{}", name, d));
  return TensorType::make(std::move(dims), tensor->dtype);
}

/// A loop in the making.
class LoopFunction {
 public:
  struct Parts {
    const ReadStep &goes_on, &step;
    const SizesAtEnd& sizes;
  };
  LoopFunction(ModelBuilder& builder, const std::vector<Expr>& start, const Parts& parts, const Span& span)
      : builder_(builder), parts_(parts), span_(span) {
    for (const Expr& e : start) {
      args_.push_back(builder_.bind(e, "start"));
      changes_.emplace_back(static_cast<size_t>(std::max(rank_of(args_.back()), 0)));
    }
  }

  /// Returns what the loop ends with. Reads it again for each further size that turns out to change.
  std::vector<Expr> read(const std::string& name) {
    for (;;) {
      ModelBuilder::Moment before = builder_.now();
      if (try_reading(name)) break;
      builder_.forget_since(std::move(before));
      if (misses_seed_ && !draws_) carry_seed();
    }
    std::vector<Expr> passed = args_;
    passed.insert(passed.end(), function_.passed.begin(), function_.passed.end());
    const Expr call = call_of(name_, std::move(passed), function_, result_type(), span_);
    std::vector<std::vector<Scalar>> sizes;
    for (size_t i = 0; i < args_.size(); ++i) sizes.push_back(sizes_at_end(i));
    std::vector<Expr> results = builder_.sized_results(call, name, sizes);
    if (draws_) results.pop_back();
    return results;
  }

 private:
  void carry_seed() {
    args_.push_back(builder_.bind(builder_.next_seed(span_), "seed"));
    changes_.emplace_back();
    draws_ = true;
  }

  bool changes(size_t i) const { return std::ranges::find(changes_[i], true) != changes_[i].end(); }

  std::vector<Scalar> sizes_at_end(size_t i) const {
    const std::vector<Scalar>* dims = dims_of(args_[i]);
    std::vector<Scalar> sizes = dims ? *dims : std::vector<Scalar>();
    for (size_t d = 0; d < sizes.size(); ++d)
      if (changes_[i][d])
        sizes[d] = i < parts_.sizes.size() && d < parts_.sizes[i].size() ? parts_.sizes[i][d] : Scalar();
    return sizes;
  }

  /// The sizes that change are no part of the type that the function gives.
  Type result_type() const {
    std::vector<Type> types;
    for (size_t i = 0; i < args_.size(); ++i)
      types.push_back(changes(i) ? TensorType::make_unknown(dtype_of(args_[i]), rank_of(args_[i])) : args_[i]->type);
    return types.size() == 1 ? types[0] : Type(TupleType::make(std::move(types)));
  }

  /// False when a step changes sizes that were not known to change.
  bool notes_changes(const std::vector<Expr>& taken, const std::vector<Expr>& given) {
    if (taken.size() != given.size()) throw UnsupportedUse{"whose step gives another number of values than it takes"};
    bool is_new = false;
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!find<TensorType>(taken[i]->type)) throw UnsupportedUse{"that carries a sequence"};
      const std::vector<Scalar> same = common_sizes(builder_, taken[i], given[i]);
      if (dtype_of(taken[i]) != dtype_of(given[i]) || !dims_of(taken[i]) || same.size() != dims_of(taken[i])->size())
        throw UnsupportedUse{"that changes the rank or dtype of what it carries"};
      for (size_t d = 0; d < same.size(); ++d)
        if (!same[d] && !changes_[i][d]) changes_[i][d] = is_new = true;
    }
    return is_new;
  }

  bool try_reading(const std::string& name) {
    function_ = {};
    std::vector<Expr> carried;
    for (size_t i = 0; i < args_.size(); ++i) {
      const std::string own = builder_.fresh_name("carried");
      function_.params.push_back(Var::make(own, carried_type(builder_, args_[i]->type, changes_[i], own), span_));
      carried.emplace_back(function_.params.back());
    }
    const ModelBuilder::Moment around = builder_.now();
    const ModelBuilder::InLoop in_loop(builder_, draws_ ? carried.back() : nullptr);
    const std::vector<Expr> values(carried.begin(), carried.end() - (draws_ ? 1 : 0));
    ModelBuilder::Body whole(builder_);
    const Expr condition = builder_.visible(as_scalar(builder_, parts_.goes_on(values).at(0), span_));
    const std::vector<Ref<BindingBlock>> before = whole.blocks();
    ModelBuilder::Body inside(builder_, around);
    std::vector<Expr> next = parts_.step(values);
    if (notes_changes(values, next)) return false;
    misses_seed_ = in_loop.misses_seed();
    if (misses_seed_) return false;
    if (draws_) next.push_back(builder_.seed_after(carried.back()));
    for (Expr& e : next) e = builder_.visible(e);
    name_ = GlobalVar::make(builder_.fresh_name(name), span_);
    finish(carried, condition, std::move(next), before, inside.blocks());
    return true;
  }

  /// Makes the function from what is bound before its branch and in a step.
  void finish(const std::vector<Expr>& carried, const Expr& condition, std::vector<Expr> next,
              const std::vector<Ref<BindingBlock>>& before, std::vector<Ref<BindingBlock>> steps) {
    // What the condition and the step use besides is passed on from step to step.
    std::vector<Ref<BindingBlock>> all = before;
    all.insert(all.end(), steps.begin(), steps.end());
    std::vector<Expr> used = next;
    used.push_back(condition);
    function_.capture(SeqExpr::make(std::move(all), Tuple::make(std::move(used)), span_));
    next.insert(next.end(), function_.passed.begin(), function_.passed.end());
    const Type type = result_type();
    const auto bound = [&](const Expr& value) {
      const Ref<Var> var = Var::make("result", type, span_);
      return std::pair(BindingBlock::make({{var, value, nullptr, span_}}), var);
    };
    const auto [call, after] = bound(Call::make_typed(name_, std::move(next), {}, {}, type, span_));
    steps.push_back(call);
    const Expr both = If::make(condition, SeqExpr::make(std::move(steps), after, span_),
                               SeqExpr::make({}, result_of(carried, span_), span_), span_);
    const auto [end, result] = bound(both);
    std::vector<Ref<BindingBlock>> blocks = before;
    blocks.push_back(end);
    function_.add_to(builder_, name_, SeqExpr::make(std::move(blocks), result, span_), type, span_);
  }

  ModelBuilder& builder_;
  const Parts parts_;
  const Span& span_;
  std::vector<Expr> args_;
  std::vector<std::vector<bool>> changes_;  // of each value, the sizes that steps change
  bool misses_seed_ = false;                // in the last reading
  bool draws_ = false;                      // random numbers: the last value that it carries is their seed
  NewFunction function_;
  Ref<GlobalVar> name_;
};

}  // namespace

std::vector<Expr> choice(ModelBuilder& builder, Expr condition, const ReadBody& yes, const ReadBody& no,
                         const std::string& name, const Span& span) {
  condition = builder.bind(as_scalar(builder, condition, span), "condition");
  std::vector<Expr> chosen, other;
  // Both are read even if the first one cannot be, so that all findings are told at once.
  std::exception_ptr problem;
  Ref<SeqExpr> then_branch;
  try {
    then_branch = read_body(builder, yes, chosen, span);
  } catch (const NeedsUnread&) {
    problem = std::current_exception();
  } catch (const UnsupportedUse&) {
    problem = std::current_exception();
  }
  const Ref<SeqExpr> else_branch = read_body(builder, no, other, span);
  if (problem) std::rethrow_exception(problem);
  if (chosen.size() != other.size() || chosen.empty())
    throw UnsupportedUse{"whose branches give no values or different numbers of them"};
  const Expr both = If::make(condition, then_branch, else_branch, span);
  const Ref<Var> result = Var::make("result", both->type, span);
  const Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make({{result, both, nullptr, span}})}, result, span);
  NewFunction f;
  f.capture(body);
  const Ref<GlobalVar> function = GlobalVar::make(builder.fresh_name(name), span);
  f.add_to(builder, function, body, both->type, span);
  std::vector<std::vector<Scalar>> sizes;
  for (size_t i = 0; i < chosen.size(); ++i) sizes.push_back(common_sizes(builder, chosen[i], other[i]));
  return builder.sized_results(call_of(function, f.passed, f, both->type, span), name, sizes);
}

std::vector<Expr> loop(ModelBuilder& builder, const std::vector<Expr>& start, const ReadStep& goes_on,
                       const ReadStep& step, const std::string& name, const Span& span, const SizesAtEnd& sizes) {
  return LoopFunction(builder, start, {goes_on, step, sizes}, span).read(name);
}

}  // namespace sunmao
