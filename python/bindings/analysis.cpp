// Bindings of analyses of expressions, types and modules.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "ir/type_relation.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/known_calls.h"
#include "passes/analysis/memory_estimate.h"
#include "passes/analysis/purity.h"
#include "passes/analysis/recursion.h"
#include "passes/analysis/reshape_pattern.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/analysis/well_formed.h"
#include "passes/canonical/inline_functions.h"
#include "passes/upstream/inplace_calls.h"
#include "passes/upstream/update_param_type.h"
#include "passes/upstream/value_aliases.h"
#include "passes/weights/bind_params.h"
#include "passes/weights/bind_symbolic_vars.h"

namespace sunmao::python {
namespace {

std::unordered_map<Ref<Var>, Expr> var_map(const nb::dict& map) {
  std::unordered_map<Ref<Var>, Expr> out;
  for (auto [var, value] : map) out.emplace(nb::cast<Ref<Var>>(var), nb::cast<Expr>(value));
  return out;
}

void fail_with(std::vector<Diagnostic> findings) {
  if (!findings.empty()) throw UserError(std::move(findings));
}

void bind_variables(nb::module_& m) {
  m.def("free_vars", [](const Expr& e) { return free_vars(e); }, nb::arg("expr"));
  m.def("bound_vars", &bound_vars, nb::arg("expr"));
  m.def("all_vars", &all_vars, nb::arg("expr"));
  m.def("used_vars", &used_vars, nb::arg("expr"));
  m.def("open_unused_host_calls", &open_unused_host_calls, nb::arg("module"),
        "The module with results of any type where nothing uses that of a pure call of a function of the host.");
  m.def("all_global_vars", &all_global_vars, nb::arg("expr"));
  m.def("called_global_vars", &called_global_vars, nb::arg("expr"));
  m.def("defined_symbolic_vars", &defined_symbolic_vars, nb::arg("expr"));
  m.def("free_symbolic_vars", &free_symbolic_vars, nb::arg("expr"));
  m.def("name_to_binding", &name_to_binding, nb::arg("expr"));
  m.def(
      "var_to_value",
      [](const Expr& e) {
        nb::dict out;
        for (const auto& [var, value] : var_to_value(e)) out[nb::cast(var)] = nb::cast(value);
        return out;
      },
      nb::arg("expr"), nb::sig("def var_to_value(expr: Expr) -> dict[Var, Expr]"));
  m.def(
      "use_def_chains",
      [](const BindingBlock& block) {
        nb::list out;
        for (const VarUses& u : use_def_chains(block)) out.append(nb::make_tuple(u.var, u.users));
        return out;
      },
      nb::arg("block"), nb::sig("def use_def_chains(block: BindingBlock) -> list[tuple[Var, list[Var]]]"));
}

void bind_type_relations(nb::module_& m) {
  m.def(
      "base_check",
      [](const Type& base, const Type& derived) {
        Analyzer analyzer;
        return static_cast<int>(base_check(base, derived, analyzer));
      },
      nb::arg("base"), nb::arg("derived"), "0 disjoint, 1 not known statically, 2 dimensions are open, 3 subsumed.");
  m.def(
      "common_type",
      [](const Type& a, const Type& b) {
        Analyzer analyzer;
        return common_type(a, b, analyzer);
      },
      nb::arg("a"), nb::arg("b"));
  m.def("static_type", &static_type, nb::arg("type"));
  m.def(
      "fits",
      [](const Type& type, const std::string& dtype, const std::vector<int64_t>& sizes) {
        return fits(type, dtype, sizes);
      },
      nb::arg("type"), nb::arg("dtype"), nb::arg("sizes"),
      "Whether a tensor of this dtype and these sizes is of the type. Symbols accept any size.");
  m.def(
      "erase_to_well_defined",
      [](const Type& type, const nb::dict& symbols, const nb::dict& vars) {
        return erase_to_well_defined(type, substitution(symbols), var_map(vars));
      },
      nb::arg("type"), nb::arg("symbols"), nb::arg("vars"),
      nb::sig("def erase_to_well_defined(type: Type, symbols: dict[SymVar, Scalar], vars: dict[Var, Expr]) -> Type"));
  m.def(
      "derive_call_result",
      [](const CallableType& signature, const std::vector<Expr>& args) {
        return derive_call_result(signature, args, nullptr, "function");
      },
      nb::arg("signature"), nb::arg("args"));
  m.def("definable_symbols", &definable_symbols, nb::arg("type"));
  m.def("free_symbols", [](const Type& type) { return free_symbols(type); }, nb::arg("type"));
  m.def("non_negative_scalars", &non_negative_scalars, nb::arg("type"));
}

nb::list chances(const std::vector<InplaceChance>& list) {
  nb::list out;
  for (const InplaceChance& c : list) out.append(nb::make_tuple(c.binding, c.arguments));
  return out;
}

nb::set numbers(const MemorySet& memory) {
  nb::set out;
  for (int64_t i : memory) out.add(nb::int_(i));
  return out;
}

void bind_memory_analysis(nb::module_& m) {
  m.def("describe_memory", &describe_memory, nb::arg("module"));
  m.def(
      "live_ranges",
      [](const BindingBlock& block) {
        nb::dict out;
        for (const auto& [var, range] : live_ranges(block)) out[nb::cast(var)] = nb::make_tuple(range.begin, range.end);
        return out;
      },
      nb::arg("block"), nb::sig("def live_ranges(block: BindingBlock) -> dict[Var, tuple[int, int]]"));
  m.def(
      "value_aliases",
      [](const BindingBlock& block, const std::vector<Ref<Var>>& inputs) {
        const ValueAliases aliases(block, inputs);
        nb::dict by_var, tuples;
        for (const auto& [var, memory] : aliases.all()) by_var[nb::cast(var)] = numbers(memory);
        for (const auto& [tuple, fields] : aliases.tuples()) {
          nb::list sets;
          for (const MemorySet& field : fields) sets.append(numbers(field));
          tuples[nb::int_(tuple)] = sets;
        }
        return nb::make_tuple(by_var, tuples);
      },
      nb::arg("block"), nb::arg("inputs"),
      nb::sig("def value_aliases(block: BindingBlock, inputs: Sequence[Var]) -> tuple[dict[Var, set[int]], dict[int, "
              "list[set[int]]]]"));
  m.def(
      "inplace_chances",
      [](const BindingBlock& block, const std::vector<Ref<Var>>& inputs) {
        const InplaceChances found = find_inplace_chances(block, inputs);
        return nb::make_tuple(chances(found.large_enough), chances(found.same_shape));
      },
      nb::arg("block"), nb::arg("inputs"),
      nb::sig("def inplace_chances(block: BindingBlock, inputs: Sequence[Var]) -> tuple[list[tuple[int, list[int]]], "
              "list[tuple[int, list[int]]]]"));
  m.def(
      "inplace_call",
      [](const Module& module, const Call& call, int64_t place) {
        BlockBuilder functions(module);
        Ref<Call> made = InplaceCalls(functions).write_to(call, place);
        return std::pair(Expr(made), functions.module());
      },
      nb::arg("module"), nb::arg("call"), nb::arg("place"),
      nb::sig("def inplace_call(module: Module, call: Call, place: int) -> tuple[Call, Module]"));
}

void bind_function_analysis(nb::module_& m) {
  m.def(
      "find_impure_call",
      [](const Expr& e, const std::optional<Expr>& own_name, const Module* module) {
        const Call* call = find_impure_call(e, {.own_name = own_name.value_or(Expr()), .module = module});
        return call ? Expr(call) : Expr();
      },
      nb::arg("expr"), nb::arg("own_name").none() = nb::none(), nb::arg("module").none() = nb::none(),
      nb::sig("def find_impure_call(expr: Expr, own_name: Expr | None = None, module: Module | None = None) -> Expr | "
              "None"));
  m.def("detect_recursion", &detect_recursion, nb::arg("module"));
  m.def("computable_at_compile_time", &computable_at_compile_time, nb::arg("function"));
  m.def(
      "remove_all_unused", [](const Expr& e, const Module* module) { return remove_all_unused(e, module); },
      nb::arg("expr"), nb::arg("module").none() = nb::none(),
      nb::sig("def remove_all_unused(expr: Expr, module: Module | None = None) -> Expr"));
  m.def("with_known_calls", &with_known_calls, nb::arg("function"), nb::arg("module"));
  m.def("inline_functions", &inline_functions, nb::arg("function"), nb::arg("functions"));
  m.def(
      "param_named", [](const Ref<Function>& f, const std::string& name) { return param_named(*f, name); },
      nb::arg("function"), nb::arg("name"), nb::sig("def param_named(function: Function, name: str) -> str"),
      "The parameter that a name means: one in the model's file, or its own.");
  m.def(
      "bind_params", [](const Ref<Function>& f, const nb::dict& values) { return bind_params(f, var_map(values)); },
      nb::arg("function"), nb::arg("values"),
      nb::sig("def bind_params(function: Function, values: dict[Var, Expr]) -> Function"));
  m.def(
      "bind_symbols",
      [](const Ref<Function>& f, const nb::dict& symbols) { return bind_symbols(f, substitution(symbols)); },
      nb::arg("function"), nb::arg("symbols"),
      nb::sig("def bind_symbols(function: Function, symbols: dict[SymVar, Scalar]) -> Function"));
  m.def("find_symbols", &find_symbols, nb::arg("function"), nb::arg("name"));
  m.def(
      "update_param_type",
      [](const Module& module, const nb::object& update) {
        return update_param_type(module, [&](const Ref<Var>& var) {
          nb::object type = update(var);
          return type.is_none() ? Type() : nb::cast<Type>(type);
        });
      },
      nb::arg("module"), nb::arg("update"),
      nb::sig("def update_param_type(module: Module, update: collections.abc.Callable[[Var], Type | None]) -> "
              "Module"));
}

}  // namespace

void bind_analysis(nb::module_& m) {
  bind_variables(m);
  bind_type_relations(m);
  bind_function_analysis(m);
  bind_memory_analysis(m);
  m.def("has_reshape_pattern", &has_reshape_pattern, nb::arg("func"));
  m.def("with_computed_results", &with_computed_results, nb::arg("module"),
        "Functions whose stated result their bodies contradict state what the bodies give.");
  m.def(
      "check_well_formed",
      [](const Module& module, bool check_types) {
        fail_with(check_well_formed(module, {.check_types = check_types}));
      },
      nb::arg("module"), nb::arg("check_types"), "Fails with all findings when the module is not well formed.");
  m.def(
      "check_well_formed",
      [](const Ref<Function>& function, bool check_types) {
        fail_with(check_well_formed(function, {.check_types = check_types}));
      },
      nb::arg("function"), nb::arg("check_types"));
}

}  // namespace sunmao::python
