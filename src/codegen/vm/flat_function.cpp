#include "codegen/vm/flat_function.h"

#include <algorithm>

#include "ir/op.h"
#include "ops/params.h"
#include "support/diagnostic.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

// The value of a variable: a tensor, or a tuple of values.
struct FlatValue {
  std::optional<FlatTensor> tensor;
  std::vector<FlatValue> fields;
};

class Flattener {
 public:
  Flattener(FlatFunction& out, const Module& module) : out_(out), module_(module) {}

  void run(const Function& f) {
    for (const Ref<Var>& p : f.params) {
      values_[p] = param(p->name, p->type, p->span);
      for (const Ref<SymVar>& s : free_symbols(p->type)) known_symbols_.insert(s);
    }
    for (const Ref<BindingBlock>& block : f.body->blocks)
      for (const Binding& b : block->bindings) values_[b.var] = bind(b);
    result(value(f.body->body), find<Var>(f.body->body) ? find<Var>(f.body->body)->name : "output");
    for (FlatTensor& t : out_.results) use(t, static_cast<int>(out_.steps.size()));
    claim_results();
  }

 private:
  [[noreturn]] static void unsupported(const Span& span, const std::string& what) {
    fail("E1020", span, fmt::format("the virtual machine does not run {}", what),
         "see docs/errors/E1020.md for what it runs");
  }

  FlatTensor add_root(RootKind kind, int index, const Type& type) {
    const auto* t = find<TensorType>(type);
    out_.roots.push_back({.kind = kind, .index = index, .type = t, .owner = type});
    return {static_cast<int>(out_.roots.size()) - 1, type};
  }

  FlatValue param(const std::string& name, const Type& type, const Span& span) {
    if (const auto* t = find<TupleType>(type)) {
      FlatValue v;
      for (size_t i = 0; i < t->fields.size(); ++i)
        v.fields.push_back(param(fmt::format("{}.{}", name, i), t->fields[i], span));
      return v;
    }
    const auto* t = find<TensorType>(type);
    if (!t || !t->dims() || t->dtype.is_void())
      unsupported(span,
                  fmt::format("a parameter like `{}`: {}; it takes tensors of known rank and dtype, and tuples of them",
                              name, describe(type)));
    out_.params.push_back({name, type});
    return {add_root(RootKind::Param, static_cast<int>(out_.params.size()) - 1, type), {}};
  }

  FlatValue value(const Expr& e) {
    if (Ref<Var> v = find_ref<Var>(e)) return values_.at(v);
    if (const auto* c = find<Constant>(e)) {
      out_.constants.push_back(c->data);
      return {add_root(RootKind::Constant, static_cast<int>(out_.constants.size()) - 1, c->type), {}};
    }
    if (const auto* t = find<Tuple>(e)) {
      FlatValue v;
      for (const Expr& f : t->fields) v.fields.push_back(value(f));
      return v;
    }
    if (const auto* i = find<TupleGetItem>(e)) return value(i->tuple).fields.at(static_cast<size_t>(i->index));
    if (const Call* view = find_call(e, "memory.view")) {
      const auto* offset = view->args.size() > 3 ? find<PrimType>(view->args[3]->type) : nullptr;
      const int64_t* known = offset && offset->value ? find_int(offset->value) : nullptr;
      if (offset && !(known && *known == 0)) unsupported(e->span, "a view that begins inside of its tensor");
      FlatValue v = value(view->args[0]);
      v.tensor->type = view->type;
      return v;
    }
    if (auto call = find_kernel_call(e, module_)) return kernel(std::move(*call), e);
    const auto* call = find<Call>(e);
    const Op* op = call ? op_of(*call) : nullptr;
    if (op) unsupported(e->span, fmt::format("the op `{}`", op->name()));
    unsupported(e->span, find<If>(e) ? "branches" : call ? "calls between functions" : "this expression");
  }

  FlatValue bind(const Binding& b) {
    if (!b.is_match_cast()) return value(b.value);
    Analyzer analyzer;
    if (fits(b.cast_type, b.value->type, analyzer) != Fit::Yes) check(b.cast_type, b.value->type, b);
    if (find<ShapeExpr>(b.value)) return {};
    FlatValue v = value(b.value);
    set_type(v, b.cast_type);
    return v;
  }

  static void set_type(FlatValue& v, const Type& type) {
    if (v.tensor) v.tensor->type = type;
    if (const auto* tuple = find<TupleType>(type))
      for (size_t i = 0; i < v.fields.size(); ++i) set_type(v.fields[i], tuple->fields[i]);
  }

  // Relations between sizes become checks on entry; a cast that differs in another way is not supported.
  void check(const Type& expected, const Type& given, const Binding& cast) {
    if (const auto* tuple = find<TupleType>(expected)) {
      const auto* fields = find<TupleType>(given);
      if (fields && fields->fields.size() == tuple->fields.size()) {
        for (size_t i = 0; i < fields->fields.size(); ++i) check(tuple->fields[i], fields->fields[i], cast);
        return;
      }
    }
    const auto *e = find<TensorType>(expected), *g = find<TensorType>(given);
    if (e && g && e->dims() && g->dims() && e->rank == g->rank && e->dtype == g->dtype)
      return check_dims(*e->dims(), *g->dims(), cast);
    const auto *shape = find<ShapeType>(expected), *sizes = find<ShapeType>(given);
    if (shape && sizes && shape->values && sizes->values && shape->rank == sizes->rank)
      return check_dims(*shape->values, *sizes->values, cast);
    unsupported(cast.span, "a match_cast that must be checked");
  }

  void check_dims(const std::vector<Scalar>& expected, const std::vector<Scalar>& given, const Binding& cast) {
    for (size_t i = 0; i < expected.size(); ++i) {
      Ref<SymVar> symbol = find_ref<SymVar>(expected[i]);
      if (symbol && known_symbols_.insert(symbol).second)
        out_.symbols.emplace_back(symbol, given[i]);
      else if (!structural_equal(expected[i], given[i]))
        out_.checks.push_back({given[i], expected[i], place_of(cast)});
    }
  }

  static std::string place_of(const Binding& cast) {
    const std::string name = fmt::format("`{}`", cast.var->name);
    if (!cast.span) return name;
    if (!cast.span->label.empty()) return fmt::format("{}, {}", name, cast.span->label);
    return fmt::format("{}, {}:{}", name, cast.span->source->name, cast.span->line);
  }

  void use(const FlatTensor& t, int step) {
    Root& root = out_.roots[static_cast<size_t>(t.root)];
    root.last_step = std::max(root.last_step, step);
  }

  FlatValue kernel(KernelCall call, const Expr& e) {
    int number = static_cast<int>(out_.steps.size());
    FlatStep step{.call = std::move(call), .inputs = {}, .outputs = {}, .kernel = {}};
    step.kernel = step.call.callee->name;
    step.span = e->span;
    for (const Expr& i : step.call.inputs) {
      step.inputs.push_back(*value(i).tensor);
      use(step.inputs.back(), number);
    }
    auto written = [&](const Type& type) {
      FlatTensor t = add_root(RootKind::Intermediate, 0, type);
      out_.roots.back().first_step = out_.roots.back().last_step = number;
      return t;
    };
    for (const Type& t : step.call.outputs) step.outputs.push_back(written(t));
    FlatValue v;
    if (find<TupleType>(e->type))
      for (const FlatTensor& t : step.outputs) v.fields.push_back({t, {}});
    else
      v.tensor = step.outputs[0];
    out_.steps.push_back(std::move(step));
    return v;
  }

  void result(const FlatValue& v, const std::string& name) {
    if (v.tensor) {
      out_.results.push_back(*v.tensor);
      out_.result_names.push_back(name);
    }
    for (size_t i = 0; i < v.fields.size(); ++i) result(v.fields[i], fmt::format("{}.{}", name, i));
  }

  // True when the tensor covers the whole root with the same dtype; views may be of another dtype or a part.
  static bool shows_all(const Root& root, const TensorType& seen) {
    return seen.dtype == root.type->dtype &&
           Analyzer().can_prove_equal(product(*seen.dims()), product(*root.type->dims()));
  }

  // An intermediate that a result covers completely is stored directly in the result's memory; any other result is
  // copied.
  void claim_results() {
    for (size_t i = 0; i < out_.results.size(); ++i) {
      Root& root = out_.roots[static_cast<size_t>(out_.results[i].root)];
      if (root.kind == RootKind::Intermediate && root.result < 0 && shows_all(root, out_.results[i].tensor()))
        root.result = static_cast<int>(i);
    }
  }

  FlatFunction& out_;
  const Module& module_;
  std::unordered_map<Ref<Var>, FlatValue> values_;
  std::unordered_set<Ref<SymVar>> known_symbols_;
};

}  // namespace

FlatFunction flatten(const std::string& name, const Function& f, const Module& module) {
  FlatFunction out;
  out.name = name;
  Flattener(out, module).run(f);
  return out;
}

}  // namespace sunmao
