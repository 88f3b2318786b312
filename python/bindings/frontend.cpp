// The front ends: what they read, and models that are in memory.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/custom_converters.h"
#include "bindings/host_tensor.h"
#include "bindings/interruptible.h"
#include "bindings/node_caster.h"
#include "frontend/coverage.h"
#include "frontend/frontend.h"
#include "frontend/onnx_writer.h"
#include "ops/ops.h"

namespace sunmao::python {
namespace {

struct ReadModel {
  Model model;
  std::vector<std::string> notes;
};

nb::tuple as_tuple(const ReadModel& read) {
  return nb::make_tuple(read.model.module, weights_to_python(read.model.weights), states_to_python(read.model),
                        read.notes);
}

nb::list rows() {
  nb::list out;
  for (const CoverageRow& row : coverage_rows()) {
    nb::dict entry;
    entry["frontend"] = row.front_end;
    entry["op"] = row.op;
    entry["since"] = row.since;
    entry["becomes"] = row.becomes;
    entry["restriction"] = row.restriction;
    out.append(entry);
  }
  return out;
}

// Wraps a callable that takes inputs and attributes and gives an expression or several.
CustomConverter converter_of(const nb::object& callable) {
  return [callable](const CustomNode& node) {
    nb::list inputs;
    for (const Expr& e : node.inputs) inputs.append(e ? nb::cast(e) : nb::none());
    nb::object result = callable(inputs, to_python(Attrs(node.attributes)));
    std::vector<Expr> out;
    if (nb::isinstance<nb::list>(result) || nb::isinstance<nb::tuple>(result)) {
      for (nb::handle item : result) out.push_back(nb::cast<Expr>(item));
    } else {
      out.push_back(nb::cast<Expr>(result));
    }
    return out;
  };
}

// Reads with the callables of `custom`; without any, so that the host can interrupt.
template <class F>
nb::tuple read_with(const nb::dict& custom, ReadOptions options, F read) {
  ReadModel out;
  if (custom.size() == 0) {
    out = interruptible<ReadModel>([&](const IsCancelled&) {
      ReadModel made;
      options.notes = &made.notes;
      made.model = read(options);
      return made;
    });
    return as_tuple(out);
  }
  options.notes = &out.notes;
  options.custom = converters_of(custom);
  out.model = read(options);
  return as_tuple(out);
}

nb::tuple read_onnx_bytes(const nb::bytes& data, const std::string& name, const std::string& folder,
                          const nb::dict& custom, ReturnForm returns, bool keep_initializers,
                          const std::vector<Module>& ops, bool upstream_form) {
  const io::Bytes file = io::Bytes::from(std::string(data.c_str(), data.size()));
  return read_with(
      custom,
      {.custom_ops = ops, .returns = returns, .keep_initializers = keep_initializers, .upstream_form = upstream_form},
      [&](const ReadOptions& options) { return read_onnx(file, name, folder, builtin_ops(), options); });
}

nb::tuple read_program(const nb::bytes& graph, const std::map<std::string, HostTensor>& weights,
                       const std::string& name, const nb::dict& custom, ReturnForm returns, bool keep_state,
                       const std::vector<Module>& ops, bool upstream_form) {
  const io::Bytes json = io::Bytes::from(std::string(graph.c_str(), graph.size()));
  Weights arrays;
  for (const auto& [key, tensor] : weights) arrays.emplace(key, tensor.array());
  return read_with(
      custom, {.custom_ops = ops, .returns = returns, .keep_state = keep_state, .upstream_form = upstream_form},
      [&](const ReadOptions& options) { return read_exported_program(json, arrays, name, builtin_ops(), options); });
}

nb::tuple write_onnx_bytes(const Module& module, const std::map<std::string, HostTensor>& weights) {
  Model model{.module = module, .weights = {}, .states = {}};
  for (const auto& [key, tensor] : weights) model.weights.emplace(key, tensor.array());
  const OnnxFile file = write_onnx(model);
  return nb::make_tuple(nb::bytes(file.bytes.data(), file.bytes.size()), file.obstacle);
}

nb::list writer_rows() {
  nb::list out;
  for (const OnnxWriterRow& row : onnx_writer_rows()) out.append(nb::make_tuple(row.op, row.becomes));
  return out;
}

}  // namespace

CustomConverters converters_of(const nb::dict& callables) {
  CustomConverters out;
  for (auto [name, callable] : callables) out.emplace(nb::cast<std::string>(name), converter_of(nb::borrow(callable)));
  return out;
}

void bind_frontend(nb::module_& m) {
  nb::enum_<ReturnForm>(m, "ReturnForm", "What `main` returns for its results.")
      .value("PLAIN", ReturnForm::Plain)
      .value("TUPLE", ReturnForm::Tuple)
      .value("BOUND_TUPLE", ReturnForm::BoundTuple)
      .value("BOUND", ReturnForm::Bound)
      .value("BOUND_AGAIN", ReturnForm::BoundAgain);
  m.def("frontend_rows", &rows, nb::sig("def frontend_rows() -> list[dict[str, typing.Any]]"),
        "What the front ends read: a row for each converter.");
  m.def("read_onnx", &read_onnx_bytes, nb::arg("data"), nb::arg("name"), nb::arg("folder"),
        nb::arg("custom") = nb::dict(), nb::arg("returns") = ReturnForm::Plain, nb::arg("keep_initializers") = false,
        nb::arg("ops") = nb::list(), nb::arg("upstream_form") = false,
        nb::sig("def read_onnx(data: bytes, name: str, folder: str, custom: dict[str, typing.Any] = {}, "
                "returns: ReturnForm = ..., keep_initializers: bool = False, "
                "ops: collections.abc.Sequence[Module] = [], upstream_form: bool = False) -> "
                "tuple[Module, dict[str, Tensor], dict[str, Tensor], list[str]]"),
        "Reads an ONNX model in memory: the module, its weights and states by name, and notes. With "
        "`keep_initializers` all initialisers are parameters, with `upstream_form` it is as TVM's importer writes it. "
        "`ops` are modules with custom ops.");
  m.def("write_onnx", &write_onnx_bytes, nb::arg("module"), nb::arg("weights"),
        nb::sig("def write_onnx(module: Module, weights: dict[str, Tensor]) -> tuple[bytes, str]"),
        "Writes a model as an ONNX file: its bytes, or what stands in the way.");
  m.attr("ONNX_WRITER_OPSET") = kWrittenOpset;
  m.def("onnx_writer_rows", &writer_rows, nb::sig("def onnx_writer_rows() -> list[tuple[str, str]]"),
        "The ops that are written to ONNX files, with the ops there that they become.");
  m.def("read_exported_program", &read_program, nb::arg("graph"), nb::arg("weights"), nb::arg("name"),
        nb::arg("custom") = nb::dict(), nb::arg("returns") = ReturnForm::Plain, nb::arg("keep_state") = false,
        nb::arg("ops") = nb::list(), nb::arg("upstream_form") = false,
        nb::sig("def read_exported_program(graph: bytes, weights: dict[str, Tensor], name: str, "
                "custom: dict[str, typing.Any] = {}, returns: ReturnForm = ..., keep_state: bool = False, "
                "ops: collections.abc.Sequence[Module] = [], upstream_form: bool = False) -> "
                "tuple[Module, dict[str, Tensor], dict[str, Tensor], list[str]]"),
        "Reads a program of torch.export from its JSON: the module, its weights and states by name, and notes. With "
        "`keep_state` random numbers come from a state, with `upstream_form` it is as TVM's importer writes it. `ops` "
        "are modules with custom ops.");
}

}  // namespace sunmao::python
