// Bindings of compilation: a module and its weights become an artifact in memory.
#include "compiler/compile.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/interruptible.h"
#include "bindings/kernel_library.h"
#include "bindings/loaded_model.h"
#include "compiler/build_for_vm.h"
#include "compiler/compile_summary.h"
#include "compiler/given_weights.h"
#include "compiler/kernel_entries.h"
#include "compiler/stored_weights.h"
#include "compiler/symbol_names.h"
#include "compiler/tuning/tuning_database.h"
#include "io/write_file.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

using Ranges = std::map<std::string, std::pair<int64_t, int64_t>>;

// Reads unroll options by their upstream (TVM) names; omitted ones keep their defaults.
UnrollOptions unroll_options(const std::map<std::string, int64_t>& given) {
  UnrollOptions out;
  for (auto [name, field] : {std::pair{"auto_max_step", &out.auto_max_step},
                             {"auto_max_depth", &out.auto_max_depth},
                             {"auto_max_extent", &out.auto_max_extent}})
    if (const auto found = given.find(name); found != given.end()) *field = found->second;
  if (const auto found = given.find("explicit_unroll"); found != given.end()) out.explicit_unroll = found->second != 0;
  return out;
}

std::vector<Target> parse_targets(const std::vector<std::string>& targets) {
  std::vector<Target> out;
  for (const std::string& t : targets) out.push_back(Target::parse(t));
  if (out.empty()) out.push_back(Target::host());
  return out;
}

// Constants of the module refer to the artifact, so that they are in memory once.
Compiled with_shared_constants(Compiled compiled) {
  compiled.module = with_stored_constants(compiled.module, compiled.artifact);
  return compiled;
}

Compiled run_compile(const Module& module, const std::map<std::string, HostTensor>& weights,
                     const std::vector<std::string>& targets, const Ranges& dims, bool bind_weights, int opt_level,
                     const std::set<std::string>& disabled, bool verify_each, bool kernels_alone, bool prepare_at_load,
                     const std::map<std::string, int64_t>& unroll, bool keep_state,
                     const std::map<std::string, HostTensor>& states,
                     const std::vector<std::pair<std::string, nb::bytes>>& objects, const std::string& precision,
                     const std::string& tuning) {
  Model model{module, {}};
  for (const auto& [name, tensor] : states) model.states.emplace(name, tensor.array());
  for (const auto& [name, tensor] : weights) model.weights.emplace(name, tensor.array());
  CompileOptions options;
  options.targets = parse_targets(targets);
  for (const auto& [name, range] : dims) options.dims.emplace(name, Interval{range.first, range.second});
  options.bind_weights = bind_weights;
  options.prepare_at_load = prepare_at_load;
  options.opt_level = opt_level;
  options.runner.disabled = disabled;
  options.runner.verify_each = verify_each;
  options.kernels_alone = kernels_alone;
  options.keep_state = keep_state;
  if (precision == "bfloat16") options.products = DType{TypeCode::BFloat, 16};
  if (!tuning.empty()) options.tuning = TuningDatabase::read(tuning).plans();
  options.unroll = unroll_options(unroll);
  for (const auto& [name, data] : objects)
    options.objects.push_back({name, io::Bytes::from(std::string(data.c_str(), data.size()))});
  return interruptible<Compiled>([model = std::move(model), options = std::move(options)](const IsCancelled& stop) {
    CompileOptions watched = options;
    watched.is_cancelled = stop;
    return with_shared_constants(compile(model, watched));
  });
}

std::vector<std::string> notes_of(const Compiled& compiled) {
  std::vector<std::string> out = compiled.notices;
  if (std::string growth = growth_text(compiled.growth); !growth.empty()) out.push_back(std::move(growth));
  return out;
}

// What a module became for a virtual machine.
class VmBuild {
 public:
  explicit VmBuild(std::variant<Compiled, NeedsUpstreamVm> made) : made_(std::move(made)) {}

  const Compiled* compiled() const { return std::get_if<Compiled>(&made_); }
  std::vector<std::string> notes() const {
    const auto* needs = std::get_if<NeedsUpstreamVm>(&made_);
    return needs ? std::vector{needs->notice} : notes_of(*compiled());
  }
  void check_is_bytecode() const {
    if (const auto* needs = std::get_if<NeedsUpstreamVm>(&made_)) fail(needs->refusal);
  }

 private:
  std::variant<Compiled, NeedsUpstreamVm> made_;
};

VmBuild run_build_for_vm(const Module& module, const std::vector<std::string>& targets,
                         const std::map<std::string, int64_t>& unroll) {
  CompileOptions options;
  options.targets = parse_targets(targets);
  options.bind_weights = false;
  options.unroll = unroll_options(unroll);
  return interruptible<VmBuild>([module, options = std::move(options)](const IsCancelled& stop) {
    CompileOptions watched = options;
    watched.is_cancelled = stop;
    std::variant<Compiled, NeedsUpstreamVm> made = build_for_vm({module, {}}, watched);
    if (auto* compiled = std::get_if<Compiled>(&made)) *compiled = with_shared_constants(std::move(*compiled));
    return VmBuild(std::move(made));
  });
}

using Tensors = std::map<std::string, HostTensor>;

// Returns the weights of a model keyed by parameter name, with those that the caller gives in place of its own.
Tensors take_weights_of(const Module& module, const Tensors& own, const Tensors& given, const std::string& origin,
                        bool is_file) {
  Model model{module, {}};
  Weights tensors;
  for (const auto& [name, tensor] : own) model.weights.emplace(name, tensor.array());
  for (const auto& [name, tensor] : given) tensors.emplace(name, tensor.array());
  take_weights(model, {.tensors = tensors, .origin = origin, .is_file = is_file});
  Tensors out;
  for (const auto& [name, array] : model.weights) out.emplace(name, HostTensor::of(array));
  return out;
}

nb::list timings(const Compiled& compiled) {
  nb::list out;
  for (const PassTiming& t : compiled.timings) out.append(nb::make_tuple(t.name, t.milliseconds, t.changed));
  return out;
}

}  // namespace

void bind_compile(nb::module_& m) {
  bind_interruptible(m);
  nb::class_<StoredWeights>(m, "StoredWeights", "The weights in an artifact's memory.")
      .def(
          "name_of", [](const StoredWeights& w, const HostTensor& tensor) { return w.name_at(tensor.array().bytes()); },
          nb::arg("tensor"), "The name of the weight that has the memory of this tensor.");
  nb::class_<Compiled>(m, "Compiled", "An artifact in memory, and what it was made of.")
      .def_prop_ro(
          "module", [](const Compiled& c) { return c.module; }, "As bytecode and kernels were made of it.")
      .def(
          "kernels",
          [](const Compiled& c, uint32_t threads) { return std::make_shared<Kernels>(c.module, c.artifact, threads); },
          nb::arg("threads") = 0, "The kernels of an artifact that has all of them.")
      .def_prop_ro(
          "artifact", [](const Compiled& c) { return nb::bytes(c.artifact.data(), c.artifact.size()); },
          nb::sig("def artifact(self) -> bytes"))
      .def_prop_ro(
          "stored_weights", [](const Compiled& c) { return StoredWeights(c.artifact); }, "The artifact's weights.")
      .def_prop_ro("timings", &timings, nb::sig("def timings(self) -> list[tuple[str, float, bool]]"),
                   "Of each pass: name, milliseconds, whether it changed anything.")
      .def_prop_ro("notes", &notes_of, "What the caller is told of the artifact.")
      .def_prop_ro(
          "summary",
          [](const Compiled& c) {
            std::string out;
            for (const auto& [name, text] : compile_summary(c, c.artifact))
              out += fmt::format("{}{:<12}{}", out.empty() ? "" : "\n", name, text);
            return out;
          },
          "What the compilation did, in a few lines.")
      .def_prop_ro("size", [](const Compiled& c) { return c.artifact.size(); })
      .def(
          "save",
          [](const Compiled& c, const std::string& path) {
            nb::gil_scoped_release unlocked;
            check(io::write_file_atomically(path, {c.artifact}));
          },
          nb::arg("path"))
      .def(
          "load",
          [](const Compiled& c, uint32_t threads, const std::string& weights, const std::string& cache) {
            nb::gil_scoped_release unlocked;
            return LoadedModel::open(c.artifact, {.threads = threads, .weights_path = weights, .cache_folder = cache});
          },
          nb::arg("threads") = 0, nb::arg("weights") = "", nb::arg("cache") = "");
  nb::class_<VmBuild>(m, "VmBuild", "A module that is built for a virtual machine.")
      .def_prop_ro("compiled", &VmBuild::compiled, nb::sig("def compiled(self) -> Compiled | None"),
                   "The module as bytecode; None where it must run as instructions on registers.")
      .def_prop_ro("notes", &VmBuild::notes, "What the caller is told: of instructions on registers, why.")
      .def("check_is_bytecode", &VmBuild::check_is_bytecode, "Fails (E1020) where the module is no bytecode.");
  m.def("build_for_vm", &run_build_for_vm, nb::arg("module"), nb::arg("targets"), nb::arg("unroll"),
        "Compiles a module for a virtual machine, and decides which engine runs it.");
  m.def("with_kernel_entries", &with_kernel_entries, nb::arg("module"),
        "The module with a graph-level function for each loop-level one, if it has only those.");
  m.def("take_weights", &take_weights_of, nb::arg("module"), nb::arg("own"), nb::arg("given"), nb::arg("origin"),
        nb::arg("is_file"),
        "The weights of a module by its parameters: `given` ones, by either name, before its `own`.");
  m.def("with_symbol_names", &with_symbol_names, nb::arg("module"), nb::arg("names"),
        "The module with other names for symbols of `main`, by their own.");
  m.def(
      "with_named_axes",
      [](const Module& module, const std::vector<std::tuple<std::string, int64_t, std::string>>& axes) {
        std::vector<NamedAxis> named;
        for (const auto& [input, axis, name] : axes) named.push_back({input, axis, name});
        return with_named_axes(module, named);
      },
      nb::arg("module"), nb::arg("axes"), "The module with names for the symbols that are sizes of inputs along axes.");
  m.def("compile", &run_compile, nb::arg("module"), nb::arg("weights"), nb::arg("targets"), nb::arg("dims"),
        nb::arg("bind_weights") = true, nb::arg("opt_level") = 3, nb::arg("disabled") = std::set<std::string>(),
        nb::arg("verify_each") = false, nb::arg("kernels_alone") = false, nb::arg("prepare_at_load") = false,
        nb::arg("unroll") = std::map<std::string, int64_t>(), nb::arg("keep_state") = false,
        nb::arg("states") = std::map<std::string, HostTensor>(), nb::arg("objects") = nb::list(),
        nb::arg("precision") = "float32", nb::arg("tuning") = "");
}

}  // namespace sunmao::python
