// Bindings of translation validation: compares modules before and after passes of the compiler or of a program.
#include "passes/validation/validator.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/host_tensor.h"
#include "bindings/interruptible.h"
#include "bindings/node_caster.h"
#include "compiler/compile.h"

namespace sunmao::python {
namespace {

Weights arrays(const std::map<std::string, HostTensor>& tensors) {
  Weights out;
  for (const auto& [name, tensor] : tensors) out.emplace(name, tensor.array());
  return out;
}

// A validator that can be cancelled.
class Validation {
 public:
  explicit Validation(ValidationOptions options) : validator_(watched(std::move(options))) {}

  // Validates one pass. A name unknown to the compiler is that of a pass defined in Python, which may change numbers
  // only by rounding.
  void check(const std::string& name, AttrMap arguments, const Module& before, const Module& after,
             const IsCancelled& stop) {
    stop_ = stop;
    const Pass own{.name = name.c_str(), .summary = "", .run = nullptr};
    const Pass* known = find_pass(name);
    validator_.check({known ? known : &own, std::move(arguments)}, before, after);
  }
  const Validator& validator() const { return validator_; }

 private:
  ValidationOptions watched(ValidationOptions options) {
    options.is_cancelled = [this] { return stop_ && stop_(); };
    return options;
  }
  IsCancelled stop_;
  Validator validator_;
};

struct Report {
  std::vector<ValidatedPass> passes;
  std::map<std::string, std::string> not_validated;
  std::vector<std::string> lines;
};
Report report_of(const Validator& v) { return {v.passes(), v.not_validated(), v.summary()}; }

nb::tuple in_python(const Report& report) {
  nb::list passes;
  for (const ValidatedPass& p : report.passes)
    passes.append(nb::make_tuple(p.pass, p.is_changed, p.same, p.on_purpose));
  return nb::make_tuple(passes, report.not_validated, report.lines);
}

nb::list parse_passes(const std::string& text) {
  nb::list out;
  for (const PassCall& call : parse_pass_calls(text, "passes"))
    out.append(nb::make_tuple(std::string(call.pass->name), to_python(Attrs(call.arguments))));
  return out;
}

nb::tuple validate_pipeline(const Module& module, const std::map<std::string, HostTensor>& weights, uint64_t seed,
                            const std::string& target) {
  Model model{module, arrays(weights)};
  CompileOptions options;
  options.targets = {Target::parse(target)};
  options.runner.validate_each = true;
  options.runner.validation.seed = seed;
  return in_python(interruptible<Report>([model, options](const IsCancelled& stop) {
    CompileOptions watched = options;
    watched.is_cancelled = stop;
    watched.runner.validation.is_cancelled = stop;
    Report seen;
    watched.runner.on_validated = [&](const Validator& done) { seen = report_of(done); };
    run_pipeline(model, watched);
    return seen;
  }));
}

}  // namespace

void bind_validation(nb::module_& m) {
  nb::class_<Validation>(m, "Validation", "Compares what a module's functions give before and after passes.")
      .def(
          "check",
          [](const std::shared_ptr<Validation>& self, const std::string& name, const nb::dict& arguments,
             const Module& before, const Module& after) {
            AttrMap given = attr_map(arguments);
            run_interruptible([self, name, given = std::move(given), before, after](const IsCancelled& stop) {
              self->check(name, given, before, after, stop);
            });
          },
          nb::arg("name"), nb::arg("arguments"), nb::arg("before"), nb::arg("after"),
          nb::sig(
              "def check(self, name: str, arguments: dict[str, typing.Any], before: Module, after: Module) -> None"))
      .def(
          "report", [](const Validation& v) { return in_python(report_of(v.validator())); },
          nb::sig("def report(self) -> tuple[list[tuple[str, bool, list[str], list[str]]], dict[str, str], list[str]]"),
          "Of each pass its text, whether it changed the module, the functions that gave the same, and those whose "
          "numbers change on purpose; functions that were not validated, with the reasons; all of it in lines.");
  m.def(
      "validation",
      [](const std::map<std::string, HostTensor>& weights, uint64_t seed) {
        return std::make_shared<Validation>(ValidationOptions{.seed = seed, .weights = arrays(weights)});
      },
      nb::arg("weights"), nb::arg("seed"));
  m.def("parse_passes", &parse_passes, nb::arg("text"),
        nb::sig("def parse_passes(text: str) -> list[tuple[str, dict[str, typing.Any]]]"),
        "Passes and their arguments, as `sunmao opt --passes` takes them.");
  m.def(
      "validate_pipeline", &validate_pipeline, nb::arg("module"), nb::arg("weights"), nb::arg("seed"),
      nb::arg("target"),
      nb::sig("def validate_pipeline(module: Module, weights: collections.abc.Mapping[str, Tensor], seed: int, target: "
              "str) -> tuple[list[tuple[str, bool, list[str], list[str]]], dict[str, str], list[str]]"),
      "The passes of `compile`, compared one by one. The report is that of `Validation`.");
}

}  // namespace sunmao::python
