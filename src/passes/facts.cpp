#include "passes/facts.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "ir/op.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/analysis/call_sites.h"
#include "passes/analysis/recursion.h"
#include "passes/analysis/unused.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"
#include "sym/scalar.h"

namespace sunmao {
namespace {

std::string described_in(const FunctionEntry& e, const std::string& said) {
  return fmt::format("in `{}`: {}", e.var->name, said);
}

// Applies `say` to each graph-level function and returns the first nonempty description, with the function's name.
template <class Say>
std::string first_said(const Module& m, Say say) {
  for (const FunctionEntry& e : m.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)))
      if (std::string said = say(f); !said.empty()) return described_in(e, said);
  return {};
}

// Walks a function and records the first nonempty description that one of the callbacks returns.
class Search final : public Visitor {
 public:
  std::function<std::string(const Call&)> of_call;
  std::function<std::string(const BindingBlock&)> of_block;
  std::function<std::string(const Function&)> of_function;
  std::function<std::string(const Expr&)> of_leaf;

  std::string run(const Ref<Function>& f) {
    visit(Expr(f));
    return said_;
  }

 private:
  using Visitor::visit;
  template <class T>
  void ask(const std::function<std::string(const T&)>& question, const T& about) {
    if (question && said_.empty()) said_ = question(about);
  }
  void visit(const Call& call) override {
    ask(of_call, call);
    Visitor::visit(call);
  }
  void visit(const Function& function) override {
    ask(of_function, function);
    Visitor::visit(function);
  }
  void visit_block(const BindingBlock& block) override {
    ask(of_block, block);
    Visitor::visit_block(block);
  }
  void visit_leaf(const Expr& e) override { ask(of_leaf, e); }

  std::string said_;
};

std::string not_normal(const Module& m) {
  const std::vector<Diagnostic> found = verify(m, Stage::Normal, 1);
  return found.empty() ? "" : found[0].message;
}

std::string dataflow(const Module& m) {
  Search search;
  search.of_block = [](const BindingBlock& b) { return b.is_dataflow ? "a dataflow block" : ""; };
  return first_said(m, [&](const Ref<Function>& f) { return search.run(f); });
}

std::string local_function(const Module& m) {
  return first_said(m, [](const Ref<Function>& f) {
    Search search;
    search.of_function = [&](const Function& inner) { return &inner == f.get() ? "" : "a local function"; };
    return search.run(f);
  });
}

// Describes a call of one of `ops` in a graph-level function; empty when there is none.
std::string op_left(const Module& m, const std::vector<std::string_view>& ops) {
  Search search;
  search.of_call = [&](const Call& c) -> std::string {
    const Op* op = op_of(c);
    const bool is_one = op && std::ranges::find(ops, op->name()) != ops.end();
    return is_one ? fmt::format("a call of `{}`", op->name()) : "";
  };
  return first_said(m, [&](const Ref<Function>& f) { return search.run(f); });
}
std::string hint(const Module& m) { return op_left(m, {"hint_on_device"}); }
std::string call_without_memory(const Module& m) {
  return op_left(m, {"call_tir", "call_tir_inplace", "call_dps_packed"});
}
std::string tensor_without_storage(const Module& m) { return op_left(m, {"builtin.alloc_tensor"}); }

std::string dead_binding(const Module& m) {
  return first_said(m, [&](const Ref<Function>& f) {
    return remove_all_unused(Expr(f), &m) == Expr(f) ? "" : "a binding that nothing reads";
  });
}

std::string inlinable_call(const Module& m) {
  std::map<std::string, CallSites> sites = find_call_sites(m);
  for (const std::vector<Ref<GlobalVar>>& group : detect_recursion(m))
    for (const Ref<GlobalVar>& g : group) sites.erase(g->name);
  for (const auto& [name, site] : sites)
    if (!site.calls.empty()) return fmt::format("a call of the private function `{}`", name);
  return {};
}

std::string tuple_param(const Module& m) {
  for (const auto& [name, site] : find_call_sites(m))
    for (const Ref<Var>& p : site.function->params)
      if (find<TupleType>(p->type)) return fmt::format("`{}` takes the tuple `{}`", name, p->name);
  return {};
}

std::string computed_scalar(const Module& m) {
  Search search;
  search.of_leaf = [](const Expr& e) -> std::string {
    const auto* prim = find<PrimValue>(e);
    const bool is_plain =
        !prim || find<SymVar>(prim->value) || find<IntImm>(prim->value) || find<FloatImm>(prim->value);
    return is_plain ? "" : "a scalar expression as a value";
  };
  return first_said(m, [&](const Ref<Function>& f) { return search.run(f); });
}

std::string private_function(const Module& m) {
  for (const FunctionEntry& e : m.functions())
    if (!e.func->attrs.has("global_symbol")) return fmt::format("`{}` is private", e.var->name);
  return {};
}

std::string other_symbol(const Module& m) {
  for (const FunctionEntry& e : m.functions())
    if (const auto* symbol = e.func->attr<std::string>("global_symbol"); symbol && *symbol != e.var->name)
      return fmt::format("`{}` has the symbol `{}`", e.var->name, *symbol);
  return {};
}

// Returns the first nonempty description that `say` gives for a graph-level function with the attribute `num_input`,
// with the function's name; `say` is also given the attribute's value.
template <class Say>
std::string first_said_with_inputs(const Module& m, Say say) {
  for (const FunctionEntry& e : m.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    const std::optional<size_t> inputs = f ? num_input(*f, e.var->name) : std::nullopt;
    if (std::string said = inputs ? say(*f, *inputs) : ""; !said.empty()) return described_in(e, said);
  }
  return {};
}

std::string states_no_inputs(const Module& m) {
  for (const FunctionEntry& e : m.functions())
    if (find<Function>(Expr(e.func)) && e.func->attrs.has("num_input")) return {};
  return "no function has `num_input`";
}

std::string several_weights(const Module& m) {
  return first_said_with_inputs(m, [](const Function& f, size_t inputs) -> std::string {
    const bool is_one = f.params.size() == inputs + 1 && find<TupleType>(f.params.back()->type);
    return is_one ? "" : "the weights are not one tuple";
  });
}

std::string work_on_weights(const Module& m) {
  return first_said_with_inputs(m, [&](const Function& f, size_t inputs) -> std::string {
    if (is_param_transform(f)) return {};
    const WeightDependence found = find_weight_dependence(f, inputs, m);
    for (const Binding& b : found.bindings)
      if (found.weight_only.contains(b.var) && find<Call>(b.value))
        return fmt::format("`{}` is computed of weights alone", b.var->name);
    return {};
  });
}

std::string tracked_purity(const Module& m) {
  Search search;
  search.of_function = [](const Function& f) {
    return f.is_pure && !f.attrs.has("relax.force_pure") ? "a function that is pure, and not by force" : "";
  };
  std::string said = first_said(m, [&](const Ref<Function>& f) { return search.run(f); });
  return said.empty() ? op_left(m, {"invoke_pure_closure"}) : said;
}

}  // namespace

const std::vector<FactInfo>& all_facts() {
  static const std::vector<FactInfo> facts{
      {Fact::Normal, "normal", "operands are leaves, and every type is known", not_normal},
      {Fact::NoDataflow, "no-dataflow", "there are no dataflow blocks", dataflow},
      {Fact::NoLocalFunctions, "no-local-functions", "no function is defined inside another", local_function},
      {Fact::NoHints, "no-hints", "no call of `hint_on_device` is left", hint},
      {Fact::NoDeadBindings, "no-dead-bindings", "every binding is read or has an effect", dead_binding},
      {Fact::NoInlinableCalls, "no-inlinable-calls", "only recursive private functions are called", inlinable_call},
      {Fact::NoTupleParams, "no-tuple-params", "private functions take no tuples where all their calls are known",
       tuple_param},
      {Fact::NoComputedScalars, "no-computed-scalars", "scalars as values are symbols or numbers", computed_scalar},
      {Fact::Public, "public", "every function has a global symbol", private_function},
      {Fact::UnderSymbols, "under-symbols", "functions with a global symbol are called by it", other_symbol},
      {Fact::StatesInputs, "states-inputs", "a function says by `num_input` which parameters are inputs",
       states_no_inputs},
      {Fact::OneWeightTuple, "one-weight-tuple", "what stands behind the inputs is one tuple", several_weights},
      {Fact::NothingToLift, "nothing-to-lift",
       "functions with `num_input` call nothing on weights alone, parameter transforms aside", work_on_weights},
      {Fact::MemoryStated, "memory-stated", "no call makes the memory of its results", call_without_memory},
      {Fact::TensorsInStorage, "tensors-in-storage", "tensors are made in pieces of memory", tensor_without_storage},
      {Fact::PurityUntracked, "purity-untracked", "pure functions are pure by force", tracked_purity},
  };
  return facts;
}

const FactInfo& info_of(Fact fact) { return all_facts()[static_cast<size_t>(fact)]; }

}  // namespace sunmao
