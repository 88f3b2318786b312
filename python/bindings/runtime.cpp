// Bindings of loading and running artifacts.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/loaded_model.h"
#include "bindings/program_values.h"
#include "bindings/state_session.h"
#include "io/write_file.h"
#include "support/array.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

// Returns name, dtype, and for each dimension its size or its symbol with its range.
nb::dict info_to_python(const sunmao_value_info& info) {
  nb::list dims;
  for (int32_t i = 0; i < info.ndim; ++i) {
    const sunmao_dim& d = info.dims[i];
    dims.append(d.symbol ? nb::object(nb::make_tuple(d.symbol, d.minimum, d.maximum)) : nb::object(nb::int_(d.size)));
  }
  nb::dict out;
  out["name"] = info.name;
  out["dtype"] = info.dtype_name;
  out["dims"] = dims;
  return out;
}

nb::dict signature(const sunmao_model* model, size_t function) {
  nb::list inputs, outputs;
  sunmao_value_info info;
  for (size_t i = 0; !sunmao_input_info(model, function, i, &info); ++i) inputs.append(info_to_python(info));
  for (size_t i = 0; !sunmao_output_info(model, function, i, &info); ++i) outputs.append(info_to_python(info));
  nb::dict out;
  out["inputs"] = inputs;
  out["outputs"] = outputs;
  return out;
}

nb::dict signatures(const LoadedModel& model) {
  nb::dict out;
  for (size_t i = 0; i < sunmao_function_count(model.get()); ++i)
    out[sunmao_function_name(model.get(), i)] = signature(model.get(), i);
  return out;
}

// Returns what is known of the states that sessions keep.
nb::list states(const LoadedModel& model) {
  nb::list out;
  sunmao_value_info info;
  for (size_t i = 0; !sunmao_state_info(model.get(), i, &info); ++i) out.append(info_to_python(info));
  return out;
}

void check_inputs(const std::vector<const HostTensor*>& inputs) {
  for (const HostTensor* t : inputs)
    if (!t) throw nb::type_error("an input is None");
}

// `Runs` is a LoadedModel or a StateSession.
template <class Runs>
std::vector<HostTensor> run(Runs& model, const std::string& function, const LoadedModel::Inputs& inputs) {
  check_inputs(inputs);
  try {
    nb::gil_scoped_release unlocked;
    return model.run(function, inputs);
  } catch (const UserError&) {
    if (PyErr_Occurred()) throw nb::python_error();  // what a handler of a signal raised
    throw;
  }
}

nb::list call(LoadedModel& model, const std::string& function, const nb::list& given, nb::handle find,
              nb::object tensor, nb::object shape) {
  const auto faces = std::make_shared<const Faces>(Faces{std::move(tensor), std::move(shape)});
  std::vector<ProgramInput> inputs;
  for (nb::handle item : given) {
    const bool is_object = model.takes_object(function, inputs.size());
    inputs.push_back({to_value(item, faces), is_object ? nullptr : native_tensor(item)});
  }
  const FindHostFunction find_function = [&](const std::string& name) -> std::shared_ptr<const HostFunction> {
    const nb::gil_scoped_acquire lock;
    return to_value(find(name), faces).host_function();
  };
  std::vector<ProgramResult> results;
  try {
    const nb::gil_scoped_release unlocked;
    results = model.call(function, inputs, find_function);
  } catch (const UserError&) {
    if (PyErr_Occurred()) throw nb::python_error();
    throw;
  }
  nb::list out;
  for (ProgramResult& result : results)
    if (auto* host = std::get_if<HostTensor>(&result))
      out.append(nb::cast(std::move(*host)));
    else
      out.append(from_value(std::get<Value>(result), faces));
  return out;
}

template <class Runs>
std::string profile(Runs& model, const std::string& function, const LoadedModel::Inputs& inputs, uint64_t repeat) {
  check_inputs(inputs);
  nb::gil_scoped_release unlocked;
  return model.profile(function, inputs, repeat);
}

void bind_sessions(nb::module_& m) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<StateSession>(m, "Session", "A session that keeps the state of a model from run to run.")
      .def("run", &run<StateSession>, nb::arg("function"), nb::arg("inputs"))
      .def("profile", &profile<StateSession>, nb::arg("function"), nb::arg("inputs"), nb::arg("repeat") = 0,
           "The same as of a model; the state stays as it is.")
      .def("copy", &StateSession::copy, Unlocked(), "A session that goes on with copies of the state.")
      .def("reset", &StateSession::reset, Unlocked(), "Gives all states their first values.")
      .def("save", &StateSession::save, nb::arg("path"), Unlocked(), "Writes the states to a safetensors file.")
      .def("load", &StateSession::load, nb::arg("path"), Unlocked(), "Reads the states from such a file.")
      .def("get", &StateSession::get, nb::arg("state"), Unlocked(), "A copy of a state's value.")
      .def("set", &StateSession::set, nb::arg("state"), nb::arg("value"), Unlocked(), "Gives a state this value.");
}

}  // namespace

void bind_runtime(nb::module_& m) {
  bind_sessions(m);
  nb::class_<LoadedModel>(m, "LoadedModel", "An artifact that is ready to run.")
      .def_prop_ro("signatures", &signatures,
                   nb::sig("def signatures(self) -> dict[str, dict[str, list[dict[str, typing.Any]]]]"),
                   "Inputs and outputs by function.")
      .def_prop_ro("isa", [](const LoadedModel& model) { return sunmao_model_isa(model.get()); })
      .def_prop_ro("manifest", [](const LoadedModel& model) { return sunmao_model_manifest(model.get()); })
      .def_prop_ro(
          "host_functions", [](LoadedModel& model) { return model.host_functions().names(); },
          "Names of the functions that it calls in the program that runs it.")
      .def(
          "register_function",
          [](LoadedModel& model, const std::string& name, nb::handle function, nb::object tensor, nb::object shape,
             uintptr_t op) {
            const auto faces = std::make_shared<const Faces>(Faces{std::move(tensor), std::move(shape)});
            model.register_function(name, to_value(function, faces).host_function(), reinterpret_cast<sunmao_op>(op));
          },
          nb::arg("name"), nb::arg("function"), nb::arg("tensor"), nb::arg("shape"), nb::arg("op") = 0,
          nb::sig("def register_function(self, name: str, function: collections.abc.Callable[..., typing.Any], "
                  "tensor: typing.Any, shape: typing.Any, op: int = 0) -> None"),
          "Gives it a function that it calls, with tensors and shapes in these classes; the kernel at the address `op` "
          "in its place, unless that is 0.")
      .def_prop_ro("states", &states, nb::sig("def states(self) -> list[dict[str, typing.Any]]"),
                   "What sessions keep: name, dtype and dimensions.")
      .def(
          "session",
          [](std::shared_ptr<LoadedModel> model) { return std::make_unique<StateSession>(std::move(model)); },
          "A new session, with the first values of the states.")
      .def("run", &run<LoadedModel>, nb::arg("function"), nb::arg("inputs"))
      .def(
          "call", &call, nb::arg("function"), nb::arg("inputs"), nb::arg("find"), nb::arg("tensor"), nb::arg("shape"),
          nb::sig("def call(self, function: str, inputs: list[typing.Any], "
                  "find: collections.abc.Callable[[str], typing.Any], tensor: typing.Any, shape: typing.Any) "
                  "-> list[typing.Any]"),
          "Runs a function on tensors, and on objects where it takes them. `find` gives functions of the host by name.")
      .def("release_memory", &LoadedModel::release_memory, "Frees the sessions that are kept for the next runs.")
      .def_prop_ro("kept_sessions", &LoadedModel::kept_sessions, "How many sessions are kept for the next runs.")
      .def("profile", &profile<LoadedModel>, nb::arg("function"), nb::arg("inputs"), nb::arg("repeat") = 0,
           "Runs `repeat` times, or for a second, and returns where the time went, as JSON.")
      .def(
          "save",
          [](const LoadedModel& model, const std::string& path) {
            nb::gil_scoped_release unlocked;
            check(io::write_file_atomically(path, {model.file()}));
          },
          nb::arg("path"), "Writes the artifact that was loaded from memory.")
      .def_prop_ro(
          "artifact",
          [](const LoadedModel& model) {
            const std::span<const std::byte> all = model.file().span();
            return nb::bytes(all.data(), all.size());
          },
          nb::sig("def artifact(self) -> bytes"), "The artifact that was loaded from memory.")
      .def(
          "write_weights",
          [](const LoadedModel& model, const std::string& path) {
            nb::gil_scoped_release unlocked;
            model.write_weights(path);
          },
          nb::arg("path"), "Writes the weights that its functions take, prepared as they are.");
  m.def(
      "load",
      [](const std::string& path, uint32_t threads, bool verify_weights, const std::string& isa,
         const std::string& weights, const std::string& cache) {
        nb::gil_scoped_release unlocked;
        return LoadedModel::open(path, {threads, verify_weights, isa, weights, cache});
      },
      nb::arg("path"), nb::arg("threads") = 0, nb::arg("verify_weights") = false, nb::arg("isa") = "",
      nb::arg("weights") = "", nb::arg("cache") = "");
  m.def(
      "load_bytes",
      [](const nb::bytes& artifact, uint32_t threads, const std::string& isa, const std::string& weights,
         const std::string& cache) {
        ArrayBuilder copy(DType::uint(8), {static_cast<int64_t>(artifact.size())});  // aligned, for weights in place
        std::ranges::copy(std::as_bytes(std::span(artifact.c_str(), artifact.size())), copy.data());
        const Array all = std::move(copy).finish();
        nb::gil_scoped_release unlocked;
        return LoadedModel::open(io::Bytes(all.bytes(), all.owner()),
                                 {.threads = threads, .isa = isa, .weights_path = weights, .cache_folder = cache});
      },
      nb::arg("artifact"), nb::arg("threads") = 0, nb::arg("isa") = "", nb::arg("weights") = "", nb::arg("cache") = "",
      nb::sig("def load_bytes(artifact: bytes, threads: int = 0, isa: str = '', weights: str = '', cache: str = '') "
              "-> LoadedModel"),
      "Loads an artifact of these bytes.");
  m.def("set_threads", &sunmao_set_threads, nb::arg("count"),
        "Sets how many threads a run may use, in the whole process, from the next run on; 0 restores the default: "
        "SUNMAO_NUM_THREADS, or the number of processors that the process may use.");
  m.def("get_threads", &sunmao_get_threads, "How many threads a run may use.");
}

}  // namespace sunmao::python
