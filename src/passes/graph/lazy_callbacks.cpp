// LazyGetInput and LazySetOutput: weights come from a function that is a parameter, and results go to one.
#include <algorithm>

#include "ir/type_relation.h"
#include "passes/analysis/variables.h"
#include "passes/graph/blocks.h"
#include "passes/graph/canonicalize_bindings.h"
#include "passes/graph/graph_passes.h"
#include "passes/graph/lazy_outputs.h"
#include "passes/graph/lazy_reads.h"
#include "passes/graph/weight_dependence.h"
#include "passes/graph/written_shapes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class InputReader final : public LazyReads {
 public:
  Ref<Function> run(const Function& f, size_t inputs) {
    getter_ = Var::make("fget_param",
                        CallableType::make({PrimType::make(DType::int_(64)), AnyType::make()}, AnyType::make(), true));
    std::vector<Ref<Var>> params(f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(inputs));
    std::vector<Weight> weights;
    for (size_t i = inputs; i < f.params.size(); ++i) {
      const Ref<Var>& p = f.params[i];
      weights.push_back({p, static_cast<int>(i - inputs), p->name, p->type});
    }
    Substitution said;
    std::unordered_map<Ref<Var>, Expr> kept;
    for (const Ref<Var>& p : params) {
      kept.emplace(p, p);
      for (const Ref<SymVar>& s : defined_symbols(p->type)) said.emplace(s, s);
    }
    begin(std::move(weights), params, nullptr);
    params.push_back(getter_);
    Ref<SeqExpr> body = visit_seq(f.body);
    Type result = f.result_type ? erase_to_well_defined(f.result_type, said, kept) : Type();
    Attrs attrs = f.attrs.with("num_input", static_cast<int64_t>(inputs + 1));
    return Function::make(std::move(params), body, std::move(result), f.is_pure, std::move(attrs), f.span);
  }

 private:
  Expr request(const Weight& weight) override {
    return Call::make(getter_, {index_value(weight.index), StringLiteral::make(weight.name)});
  }
  Ref<Var> getter_;
};

class OutputWriter final : public Rewriter {
 public:
  Ref<Function> run(const Function& f, std::optional<size_t> inputs) {
    setter_ = Var::make("fset_output", CallableType::make({PrimType::make(DType::int_(64)), AnyType::make()},
                                                          TupleType::make({}), false));
    const LazyOutputs outputs = find_lazy_outputs(f);
    outputs_ = outputs.of_vars;
    result_ = outputs.result;
    std::vector<Ref<Var>> params = f.params;
    params.insert(params.begin() + static_cast<std::ptrdiff_t>(inputs.value_or(params.size())), setter_);
    std::vector<Binding> first, last;
    for (const Ref<Var>& p : f.params) set(p, first);
    for (const auto& [value, index] : outputs.leaves) last.push_back(setting(index, value));
    Ref<SeqExpr> body = visit_seq(f.body);
    std::vector<Ref<BindingBlock>> blocks{BindingBlock::make(std::move(first))};
    blocks.insert(blocks.end(), body->blocks.begin(), body->blocks.end());
    blocks.push_back(BindingBlock::make(std::move(last)));
    body = SeqExpr::make(merge_blocks(blocks), Tuple::make({}), f.body->span);
    Attrs attrs = f.attrs.without("relax.force_pure");
    if (inputs) attrs = attrs.with("num_input", static_cast<int64_t>(*inputs + 1));
    return Function::make(std::move(params), body, nullptr, false, std::move(attrs), f.span);
  }

 private:
  using Rewriter::visit;

  Binding setting(size_t index, const Expr& value) const {
    const Expr call = Call::make(setter_, {index_value(static_cast<int64_t>(index)), value});
    return {Var::make("_void", call->type), call, nullptr, {}};
  }
  void set(const Ref<Var>& v, std::vector<Binding>& out) const {
    if (auto places = outputs_.find(v); places != outputs_.end())
      for (size_t index : places->second) out.push_back(setting(index, v));
  }
  void visit(const Binding& b) override {
    if (b.var == result_) return;
    Rewriter::visit(b);
    std::vector<Binding> settings;
    set(b.var, settings);
    for (const Binding& s : settings) bind(s, s.value);
  }

  Ref<Var> setter_, result_;
  std::unordered_map<Ref<Var>, std::vector<size_t>> outputs_;
};

// Applies `f` to each function that has a global symbol. Fails (E0504) where the module calls one itself: its callers
// have no such functions to hand over.
template <class F>
Module map_public(const Module& m, const char* pass, F f) {
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> function = find_ref<Function>(Expr(e.func));
    if (!function || !function->attrs.has("global_symbol")) continue;
    if (const std::string caller = caller_of(e.var->name, m); !caller.empty())
      fail("E0504", function->span,
           fmt::format("{}: `{}` is called by `{}`, which has no callback to hand over", pass, e.var->name, caller),
           "make it private, or inline it first: inline-private-functions");
    changed.push_back({e.var, f(function, e.var->name)});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace

Module lazy_get_input(const Module& m, const PassContext&) {
  return map_public(m, "lazy-get-input", [](const Ref<Function>& f, const std::string& name) {
    const size_t inputs = num_input(*f, name).value_or(0);
    return InputReader().run(*with_written_shapes(f, inputs), inputs);
  });
}

Module lazy_set_output(const Module& m, const PassContext&) {
  return map_public(m, "lazy-set-output", [](const Ref<Function>& f, const std::string& name) {
    return OutputWriter().run(*with_literal_result(without_dataflow(f)), num_input(*f, name));
  });
}

}  // namespace sunmao
