// Bindings of passes by name.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/interruptible.h"
#include "bindings/node_caster.h"
#include "ir/verify.h"
#include "passes/algebra/combine_parallel_matmul.h"
#include "passes/analysis/rename_functions.h"
#include "passes/facts.h"
#include "passes/layout/convert_layout.h"
#include "passes/pass.h"
#include "passes/pass_arguments.h"
#include "passes/runner.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/schedule/schedule.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao::python {
namespace {

const Pass* get_pass(const std::string& name) {
  if (const Pass* pass = find_pass(name)) return pass;
  std::vector<std::string> known;
  for (const Pass& p : all_passes()) known.emplace_back(p.name);
  const std::string close = did_you_mean(name, known);
  fail("E0511", {}, fmt::format("there is no pass `{}`", name), close.empty() ? "`sunmao.passes()` lists them" : close);
}

Module run_pass(const Module& module, const std::string& name, const nb::dict& config, int opt_level,
                const std::string& target, const nb::dict& arguments) {
  const Pass* pass = get_pass(name);
  PassContext context;
  context.target = Target::parse(target);
  context.config = attr_map(config);
  context.opt_level = opt_level;
  context = with_arguments(context, *pass, attr_map(arguments));
  struct Run {
    Module module;
    std::vector<std::string> notices;
  };
  Run run = interruptible<Run>([module, pass, context](const IsCancelled& is_cancelled) {
    Run out;
    PassContext own = context;
    const EvaluatingExecutor executor(is_cancelled);
    own.executor = &executor;
    own.on_notice = [&out](const std::string& text) { out.notices.push_back(text); };
    out.module = pass->run(module, own);
    return out;
  });
  for (const std::string& text : run.notices)
    if (PyErr_WarnEx(PyExc_UserWarning, fmt::format("{}: {}", name, text).c_str(), 1) < 0) throw nb::python_error();
  return run.module;
}

std::vector<std::string> explain_pass(const Module& module, const std::string& name, const nb::dict& arguments) {
  RunnerOptions options;
  options.explain = {name};
  std::vector<std::string> lines;
  options.on_explain = [&](const std::string& line) { lines.push_back(line); };
  const Pass* pass = get_pass(name);
  AttrMap given = attr_map(arguments);
  nb::gil_scoped_release unlocked;
  run_passes(module, {{pass, Stage::Raw, std::move(given)}}, {}, options);
  return lines;
}

Module convert_layout_by(const Module& module, const nb::callable& choose) {
  return convert_layout(module,
                        [&](const Ref<Call>& call) { return nb::cast<DesiredLayouts>(choose(nb::cast(call))); });
}

std::vector<std::vector<std::string>> plans_of_kernel(const Ref<PrimFunc>& kernel, const std::string& target) {
  return find_plans(inline_elementwise(kernel), Target::parse(target));
}

std::vector<std::string> names_of(const std::vector<Fact>& facts) {
  std::vector<std::string> names;
  for (Fact fact : facts) names.emplace_back(info_of(fact).name);
  return names;
}

std::vector<std::pair<std::string, std::string>> list_facts() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const FactInfo& fact : all_facts()) out.emplace_back(fact.name, fact.summary);
  return out;
}

nb::list list_passes() {
  nb::list out;
  for (const Pass& p : all_passes()) {
    nb::dict row;
    row["name"] = p.name;
    row["summary"] = p.summary;
    row["compat_name"] = p.compat_name;
    row["is_idempotent"] = p.is_idempotent();
    nb::list params;
    for (const PassParam& param : p.params)
      params.append(nb::make_tuple(param.name, param.doc, to_python(param.default_value)));
    row["params"] = params;
    row["explains"] = p.explains;
    row["effect"] = name_of(p.effect);
    row["breaks"] = p.breaks ? name_of(*p.breaks) : "";
    row["needs"] = names_of(p.needs);
    row["ensures"] = names_of(p.ensures);
    row["second_run"] = p.second_run;
    row["commutes_with"] = std::vector<std::string>(p.commutes_with.begin(), p.commutes_with.end());
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_passes(nb::module_& m) {
  m.def("passes", &list_passes, nb::sig("def passes() -> list[dict[str, typing.Any]]"),
        "What can be run by name, in the order of the pipeline.");
  m.def("facts", &list_facts, "What passes may need and ensure: names, and when each holds.");
  m.def("find_plans", &plans_of_kernel, nb::arg("kernel"), nb::arg("target") = "host",
        "The plans of a kernel's groups of statements that have a choice: what its attribute `sunmao.plans` chooses "
        "from.");
  m.def("run_pass", &run_pass,
        nb::sig("def run_pass(module: Module, name: str, config: dict[str, typing.Any] = {}, opt_level: int = 2, "
                "target: str = \"host\", arguments: dict[str, typing.Any] = {}) -> Module"),
        nb::arg("module"), nb::arg("name"), nb::arg("config") = nb::dict(), nb::arg("opt_level") = 2,
        nb::arg("target") = "host", nb::arg("arguments") = nb::dict());
  m.def("explain_pass", &explain_pass, nb::arg("module"), nb::arg("name"), nb::arg("arguments") = nb::dict(),
        nb::sig("def explain_pass(module: Module, name: str, arguments: dict[str, typing.Any] = {}) -> list[str]"),
        "Why the pass does what it does to this module, a line each; the module stays as it is.");
  m.def("convert_layout", &convert_layout_by, nb::arg("module"), nb::arg("choose"),
        nb::sig("def convert_layout(module: Module, choose: collections.abc.Callable[[Call], "
                "dict[str, list[str]]]) -> Module"),
        "The pass `convert-layout` where `choose` says for each call what is wanted.");
  m.def(
      "combine_parallel_matmul",
      [](const Module& module, const nb::callable& check) {
        return combine_parallel_matmul(module, [&](const ParallelMatmuls& found) {
          return nb::cast<bool>(nb::bool_(check(found.input, found.weights, found.biases)));
        });
      },
      nb::arg("module"), nb::arg("check"),
      nb::sig("def combine_parallel_matmul(module: Module, check: collections.abc.Callable[[Expr, list[Expr], "
              "list[Expr]], typing.Any]) -> Module"),
      "Products of one left operand become one product, where `check(input, right operands, biases)` says so.");
  m.def("rename_functions", &rename_functions, nb::arg("module"), nb::arg("names"),
        "Every function under the name that `names` gives it, references included.");
}

}  // namespace sunmao::python
