// Bindings of expression patterns: constructors, matching and rewriting.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "passes/pattern/partition.h"
#include "passes/pattern/rewrite.h"
#include "support/diagnostic.h"
#include "support/match.h"

namespace sunmao::python {
namespace {

using PatternRef = Ref<Pattern>;
using Patterns = std::vector<PatternRef>;

// Returns the upstream (TVM) class name of a pattern.
const char* kind_of(const Pattern& p) {
  return std::visit(overloaded{
                        [](const WildcardForm&) { return "WildcardPattern"; },
                        [](const ExprForm&) { return "ExprPattern"; },
                        [](const VarForm& f) { return f.is_dataflow_only ? "DataflowVarPattern" : "VarPattern"; },
                        [](const GlobalVarForm&) { return "GlobalVarPattern"; },
                        [](const ExternFuncForm&) { return "ExternFuncPattern"; },
                        [](const ConstantForm&) { return "ConstantPattern"; },
                        [](const CallForm&) { return "CallPattern"; },
                        [](const FunctionForm&) { return "FunctionPattern"; },
                        [](const TupleForm& f) { return f.is_ordered ? "TuplePattern" : "UnorderedTuplePattern"; },
                        [](const TupleItemForm&) { return "TupleGetItemPattern"; },
                        [](const OrForm&) { return "OrPattern"; },
                        [](const AndForm&) { return "AndPattern"; },
                        [](const NotForm&) { return "NotPattern"; },
                        [](const TypeForm&) { return "TypePattern"; },
                        [](const DTypeForm&) { return "DataTypePattern"; },
                        [](const ShapeForm&) { return "ShapePattern"; },
                        [](const ShapeValueForm&) { return "PrimArrPattern"; },
                        [](const AttrForm&) { return "AttrPattern"; },
                    },
                    p.form);
}

nb::dict named(std::initializer_list<std::pair<const char*, nb::object>> entries) {
  nb::dict out;
  for (const auto& [name, value] : entries) out[name] = value;
  return out;
}

nb::dict parts_of(const Pattern& p) {
  return std::visit(
      overloaded{
          [](const WildcardForm&) { return nb::dict(); },
          [](const ExprForm& f) { return named({{"expr", nb::cast(f.expr)}}); },
          [](const VarForm& f) { return named({{"name", nb::cast(f.name)}}); },
          [](const GlobalVarForm& f) { return named({{"name", nb::cast(f.name)}}); },
          [](const ExternFuncForm& f) { return named({{"global_symbol", nb::cast(f.name)}}); },
          [](const ConstantForm&) { return nb::dict(); },
          [](const CallForm& f) {
            return named({{"op", nb::cast(f.callee)},
                          {"args", nb::cast(f.args)},
                          {"varg_default_wildcard", nb::cast(f.may_have_more)}});
          },
          [](const FunctionForm& f) { return named({{"params", nb::cast(f.params)}, {"body", nb::cast(f.body)}}); },
          [](const TupleForm& f) { return named({{"fields", nb::cast(f.fields)}}); },
          [](const TupleItemForm& f) { return named({{"tuple", nb::cast(f.tuple)}, {"index", nb::cast(f.index)}}); },
          [](const OrForm& f) { return named({{"left", nb::cast(f.left)}, {"right", nb::cast(f.right)}}); },
          [](const AndForm& f) { return named({{"left", nb::cast(f.left)}, {"right", nb::cast(f.right)}}); },
          [](const NotForm& f) { return named({{"reject", nb::cast(f.rejected)}}); },
          [](const TypeForm& f) { return named({{"pattern", nb::cast(f.pattern)}, {"ty", nb::cast(f.type)}}); },
          [](const DTypeForm& f) {
            return named({{"pattern", nb::cast(f.pattern)}, {"dtype", nb::cast(f.dtype.str())}});
          },
          [](const ShapeForm& f) { return named({{"pattern", nb::cast(f.pattern)}, {"shape", nb::cast(f.shape)}}); },
          [](const ShapeValueForm& f) { return named({{"fields", nb::cast(f.values)}}); },
          [](const AttrForm& f) { return named({{"pattern", nb::cast(f.pattern)}, {"attrs", to_python(f.attrs)}}); },
      },
      p.form);
}

ValueOf value_of(const nb::dict& values) {
  return [values](const Ref<Var>& var) {
    nb::object key = nb::cast(var);
    return values.contains(key) ? nb::cast<Expr>(values[key]) : Expr();
  };
}

nb::object matches_to_python(const std::optional<Matches>& matches) {
  if (!matches) return nb::none();
  nb::dict out;
  for (const auto& [pattern, e] : *matches) out[nb::cast(pattern)] = nb::cast(e);
  return out;
}

void make_patterns(nb::module_& m) {
  m.def("wildcard_pattern", [] { return Pattern::make(WildcardForm{}); });
  m.def("constant_pattern", [] { return Pattern::make(ConstantForm{}); });
  m.def("expr_pattern", [](const Expr& e) { return Pattern::make(ExprForm{e}); }, nb::arg("expr"));
  m.def(
      "var_pattern",
      [](const std::string& name, bool is_dataflow) { return Pattern::make(VarForm{name, is_dataflow}); },
      nb::arg("name"), nb::arg("is_dataflow"));
  m.def("global_var_pattern", [](const std::string& n) { return Pattern::make(GlobalVarForm{n}); }, nb::arg("name"));
  m.def("extern_pattern", [](const std::string& n) { return Pattern::make(ExternFuncForm{n}); }, nb::arg("name"));
  m.def(
      "call_pattern",
      [](const PatternRef& callee, const Patterns& args, bool more) {
        return Pattern::make(CallForm{callee, args, more});
      },
      nb::arg("callee"), nb::arg("args"), nb::arg("may_have_more"));
  m.def(
      "function_pattern",
      [](const Patterns& params, const PatternRef& body) { return Pattern::make(FunctionForm{params, body}); },
      nb::arg("params"), nb::arg("body"));
  m.def(
      "tuple_pattern",
      [](const Patterns& fields, bool is_ordered) { return Pattern::make(TupleForm{fields, is_ordered}); },
      nb::arg("fields"), nb::arg("is_ordered"));
  m.def(
      "tuple_item_pattern",
      [](const PatternRef& tuple, int index) { return Pattern::make(TupleItemForm{tuple, index}); }, nb::arg("tuple"),
      nb::arg("index"));
}

void make_combinations(nb::module_& m) {
  m.def(
      "or_pattern", [](const PatternRef& a, const PatternRef& b) { return Pattern::make(OrForm{a, b}); },
      nb::arg("left"), nb::arg("right"));
  m.def(
      "and_pattern", [](const PatternRef& a, const PatternRef& b) { return Pattern::make(AndForm{a, b}); },
      nb::arg("left"), nb::arg("right"));
  m.def("not_pattern", [](const PatternRef& p) { return Pattern::make(NotForm{p}); }, nb::arg("rejected"));
  m.def(
      "type_pattern", [](const PatternRef& p, const Type& type) { return Pattern::make(TypeForm{p, type}); },
      nb::arg("pattern"), nb::arg("type"));
  m.def(
      "dtype_pattern",
      [](const PatternRef& p, const std::string& name) { return Pattern::make(DTypeForm{p, dtype(name)}); },
      nb::arg("pattern"), nb::arg("dtype"));
  m.def(
      "shape_pattern",
      [](const PatternRef& p, const std::vector<Scalar>& shape) { return Pattern::make(ShapeForm{p, shape}); },
      nb::arg("pattern"), nb::arg("shape"));
  m.def(
      "shape_value_pattern", [](const std::vector<Scalar>& values) { return Pattern::make(ShapeValueForm{values}); },
      nb::arg("values"));
  m.def(
      "attr_pattern",
      [](const PatternRef& p, const nb::dict& attrs) { return Pattern::make(AttrForm{p, attr_map(attrs)}); },
      nb::arg("pattern"), nb::arg("attrs"),
      nb::sig("def attr_pattern(pattern: sunmao._sunmao.Pattern, attrs: dict[str, typing.Any]) -> "
              "sunmao._sunmao.Pattern"));
}

Ref<Function> rewrite_calls_with(const PatternRef& pattern, const nb::object& rewrite, const Ref<Function>& f,
                                 bool possible_tuples) {
  return rewrite_calls(
      pattern,
      [&](const Expr& e, const Matches& found) { return nb::cast<Expr>(rewrite(e, matches_to_python(found))); }, f,
      possible_tuples ? Tuples::Possible : Tuples::Written);
}

Ref<Function> rewrite_bindings_with(const PatternGraph& graph, const nb::object& rewrite, const Ref<Function>& f) {
  auto call = [&](const Matches& found, const std::unordered_map<Ref<Var>, Expr>& values) {
    nb::dict bound;
    for (const auto& [var, value] : values) bound[nb::cast(var)] = nb::cast(value);
    Replacements out;
    for (auto [var, value] : nb::cast<nb::dict>(rewrite(matches_to_python(found), bound)))
      out.emplace_back(nb::cast<Ref<Var>>(var), nb::cast<Expr>(value));
    return out;
  };
  return rewrite_bindings(graph, call, f);
}

// A pattern, its name and its filter. The filter gets the matched parts, the value, the bindings and the function, and
// returns the attributes of the new function, or None to reject the match.
using PythonPartition = std::tuple<std::string, PatternRef, nb::object>;

Module partition_with(const Module& module, const std::vector<PythonPartition>& patterns, bool bind_constants,
                      bool annotate_codegen, const std::vector<std::string>& entries) {
  std::vector<PartitionPattern> native;
  for (const auto& [name, pattern, accept] : patterns)
    native.push_back({name, pattern, [accept](const PartitionMatch& match) -> std::optional<AttrMap> {
                        nb::list members;
                        for (const Binding& b : match.members) members.append(nb::cast(b));
                        nb::object attrs = accept(matches_to_python(match.found), nb::cast(match.value), members,
                                                  nb::cast(Ref<Function>(&match.function)));
                        return attrs.is_none() ? std::nullopt : std::optional(attr_map(nb::cast<nb::dict>(attrs)));
                      }});
  return partition(module, native, {bind_constants, annotate_codegen, entries});
}

}  // namespace

void bind_patterns(nb::module_& m) {
  nb::class_<Pattern>(m, "Pattern", "What a caller looks for in an expression; it never changes.")
      .def_prop_ro("kind", &kind_of, "The class in upstream's words: `CallPattern`.")
      .def_prop_ro("parts", &parts_of, nb::sig("def parts(self) -> dict[str, typing.Any]"),
                   "What it is made of, by upstream's names.")
      .def("duplicate", &Pattern::duplicate, "Another pattern of the same parts.");
  nb::class_<PatternUse>(m, "PatternUse", "What `consumer` stands for reads what `producer` stands for.")
      .def(
          "__init__",
          [](PatternUse* use, const PatternRef& producer, const PatternRef& consumer, int operand, bool is_only) {
            new (use) PatternUse{producer, consumer, operand, is_only};
          },
          nb::arg("producer"), nb::arg("consumer"), nb::arg("operand"), nb::arg("is_only"));
  nb::class_<PatternGraph>(m, "PatternGraph", "Patterns, and what ties them together.")
      .def(
          "__init__",
          [](PatternGraph* graph, const std::vector<PatternUse>& uses, const std::vector<Patterns>& same_shape) {
            new (graph) PatternGraph{uses, same_shape};
          },
          nb::arg("uses"), nb::arg("same_shape"));
  auto make = nb::cast<nb::module_>(m.attr("make"));
  make_patterns(make);
  make_combinations(make);
  m.def(
      "match_expr",
      [](const PatternRef& p, const Expr& e, const nb::dict& values) {
        return matches_to_python(match(p, e, value_of(values)));
      },
      nb::arg("pattern"), nb::arg("expr"), nb::arg("values"),
      nb::sig("def match_expr(pattern: Pattern, expr: Expr, values: dict[Var, Expr]) -> dict[Pattern, Expr] | None"));
  m.def(
      "match_block",
      [](const PatternGraph& graph, const BindingBlock& block) { return matches_to_python(match_block(graph, block)); },
      nb::arg("graph"), nb::arg("block"),
      nb::sig("def match_block(graph: PatternGraph, block: BindingBlock) -> dict[Pattern, Expr] | None"));
  m.def("rewrite_calls", &rewrite_calls_with, nb::arg("pattern"), nb::arg("rewrite"), nb::arg("function"),
        nb::arg("possible_tuples") = false,
        nb::sig("def rewrite_calls(pattern: Pattern, rewrite: collections.abc.Callable[[Expr, dict[Pattern, Expr]], "
                "Expr], function: Function, possible_tuples: bool = False) -> Function"));
  m.def("partition", &partition_with, nb::arg("module"), nb::arg("patterns"), nb::arg("bind_constants"),
        nb::arg("annotate_codegen"), nb::arg("entry_functions"),
        nb::sig("def partition(module: Module, patterns: collections.abc.Sequence[tuple[str, Pattern, "
                "collections.abc.Callable[[dict[Pattern, Expr], Expr, list[Binding], Function], dict[str, typing.Any] "
                "| None]]], bind_constants: bool, annotate_codegen: bool, entry_functions: "
                "collections.abc.Sequence[str]) -> Module"));
  m.def("rewrite_bindings", &rewrite_bindings_with, nb::arg("graph"), nb::arg("rewrite"), nb::arg("function"),
        nb::sig("def rewrite_bindings(graph: PatternGraph, rewrite: collections.abc.Callable[[dict[Pattern, Expr], "
                "dict[Var, Expr]], dict[Var, Expr]], function: Function) -> Function"));
}

}  // namespace sunmao::python
