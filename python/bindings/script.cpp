// Bindings of the parser and of the front ends for model files.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/custom_converters.h"
#include "bindings/host_tensor.h"
#include "bindings/interruptible.h"
#include "bindings/node_caster.h"
#include "compiler/read_model_file.h"
#include "compiler/tensor_file.h"
#include "ops/custom_ops.h"
#include "script/parse.h"

namespace sunmao::python {
namespace {

// Wraps the host's callback: `resolve` returns None for an unknown expression, else a tuple of one value.
ParseOptions::Resolve host_of(const nb::object& resolve) {
  if (resolve.is_none()) return {};
  return [resolve](const ParseOptions::Question& q) -> std::optional<HostValue> {
    nb::object found = resolve(q.expression, q.span ? q.span->line : 0, to_python(Attrs(q.names)), q.wants_index_map);
    if (found.is_none()) return std::nullopt;
    if (!nb::isinstance<nb::tuple>(found) || nb::len(found) != 1)
      throw nb::type_error("`resolve` gives None, or a tuple of one value");
    nb::object value = nb::cast<nb::tuple>(found)[0];
    if (nb::isinstance<HostMacro>(value)) return std::make_shared<const HostMacro>(nb::cast<const HostMacro&>(value));
    return host_value(value);
  };
}

ParseOptions parse_options(const nb::object& resolve, const std::vector<HostTensor>& constants) {
  ParseOptions options;
  options.resolve = host_of(resolve);
  for (const HostTensor& t : constants) {
    Array shared = t.array();
    options.constants.push_back(Array::copy(shared.dtype(), shared.shape(), shared.bytes()));
  }
  return options;
}

nb::tuple read_file(const std::filesystem::path& path, const std::string& weights_path, bool keep_state,
                    const std::map<std::string, std::pair<int64_t, int64_t>>& dims, const nb::dict& custom,
                    const std::vector<Module>& ops) {
  struct Read {
    Model model;
    std::vector<std::string> notes;
  };
  std::map<std::string, Interval> ranges;
  for (const auto& [name, range] : dims) ranges.emplace(name, Interval{range.first, range.second});
  const ReadModelOptions options{.weights_path = weights_path,
                                 .dims = ranges,
                                 .keep_state = keep_state,
                                 .custom = converters_of(custom),
                                 .custom_ops = ops};
  const auto read_now = [path](ReadModelOptions given) {
    Read out;
    given.notes = &out.notes;
    out.model = read_model_file(path, given);
    return out;
  };
  // Converters run Python.
  const Read read = custom.size() > 0
                        ? read_now(options)
                        : interruptible<Read>([options, read_now](const IsCancelled&) { return read_now(options); });
  return nb::make_tuple(read.model.module, weights_to_python(read.model.weights), states_to_python(read.model),
                        read.notes);
}

nb::tuple read_ops(const std::vector<std::string>& paths) {
  OpFiles files = read_op_files(paths);
  nb::list objects;
  for (const OpObject& o : files.objects)
    objects.append(nb::make_tuple(o.name, nb::bytes(o.data.data(), o.data.size())));
  return nb::make_tuple(files.modules, objects);
}

}  // namespace

nb::dict weights_to_python(const Weights& weights) {
  nb::dict out;
  for (const auto& [name, data] : weights) out[name.c_str()] = HostTensor::of(data);
  return out;
}

nb::dict states_to_python(const Model& model) {
  nb::dict out;
  if (model.states.empty()) return out;
  const Ref<Function> main = model.module.find_as<Function>("main");
  for (const Ref<Var>& param : main->params)
    if (auto found = model.states.find(param->name); found != model.states.end())
      out[param->name.c_str()] = HostTensor::of(found->second);
  return out;
}

void bind_script(nb::module_& m) {
  nb::class_<HostMacro>(m, "Macro", "A macro outside of the script that is read: its text, and what answers for names.")
      .def(
          "__init__",
          [](HostMacro* self, const std::string& text, const std::string& file, const nb::object& resolve) {
            new (self) HostMacro{Source::make(file, text), host_of(resolve)};
          },
          nb::arg("text"), nb::arg("file"), nb::arg("resolve").none(),
          nb::sig(
              "def __init__(self, text: str, file: str, "
              "resolve: collections.abc.Callable[[str, int, dict[str, typing.Any], bool], tuple[typing.Any] | None] | "
              "None) -> None"));
  m.def(
      "parse_module",
      [](const std::string& text, const std::string& name, const nb::object& resolve,
         const std::vector<HostTensor>& constants) {
        return parse_module(Source::make(name, text), *known_ops(), parse_options(resolve, constants));
      },
      nb::arg("text"), nb::arg("name") = "<script>", nb::arg("resolve") = nb::none(), nb::arg("constants") = nb::list(),
      nb::sig("def parse_module(text: str, name: str = '<script>', "
              "resolve: collections.abc.Callable[[str, int, dict[str, typing.Any], bool], tuple[typing.Any] | None] | "
              "None = "
              "None, "
              "constants: "
              "collections.abc.Sequence[Tensor] = []) "
              "-> Module"),
      "Reads a module in script form. `resolve(expression, line, names, wants_index_map)` is asked for names that the "
      "script does not bind; `names` has the scalars behind those that it does.");
  m.def(
      "parse_function",
      [](const std::string& text, const std::string& name, const nb::object& resolve,
         const std::vector<HostTensor>& constants) {
        return parse_function(Source::make(name, text), *known_ops(), parse_options(resolve, constants));
      },
      nb::arg("text"), nb::arg("name") = "<script>", nb::arg("resolve") = nb::none(), nb::arg("constants") = nb::list(),
      nb::sig("def parse_function(text: str, name: str = '<script>', "
              "resolve: collections.abc.Callable[[str, int, dict[str, typing.Any], bool], tuple[typing.Any] | None] | "
              "None = "
              "None, "
              "constants: "
              "collections.abc.Sequence[Tensor] = []) "
              "-> BaseFunc"));
  m.def("read_model", &read_file, nb::arg("path"), nb::arg("weights_path") = "", nb::arg("keep_state") = false,
        nb::arg("dims") = nb::dict(), nb::arg("custom") = nb::dict(), nb::arg("ops") = nb::list(),
        nb::sig("def read_model(path: str | os.PathLike[str], weights_path: str = '', keep_state: bool = False, "
                "dims: dict[str, tuple[int, int]] = {}, custom: dict[str, typing.Any] = {}, "
                "ops: collections.abc.Sequence[Module] = []) -> "
                "tuple[Module, dict[str, Tensor], dict[str, Tensor], list[str]]"),
        "Reads an ONNX, .pt2 or script file: the module, its weights and states by name, and notes. With `keep_state` "
        "random numbers come from a state. `dims` has the ranges that symbols will be compiled for, `custom` "
        "converters by "
        "op, and `ops` modules with custom ops.");
  m.def("read_ops", &read_ops, nb::arg("paths"),
        nb::sig("def read_ops(paths: collections.abc.Sequence[str]) -> tuple[list[Module], list[tuple[str, bytes]]]"),
        "Custom ops in files: modules of scripts, and object files with their names.");
  m.def(
      "read_tensors", [](const std::filesystem::path& path) { return weights_to_python(read_tensors(path)); },
      nb::arg("path"), nb::sig("def read_tensors(path: str | os.PathLike[str]) -> dict[str, Tensor]"),
      "The tensors of a safetensors file by name.");
}

}  // namespace sunmao::python
