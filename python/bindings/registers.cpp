// Bindings of programs on registers, and of the builtins that they call.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/kernel_library.h"
#include "bindings/program_builtins.h"
#include "bindings/program_values.h"
#include "upstream_vm/from_graph.h"
#include "upstream_vm/loop_form.h"
#include "upstream_vm/machine.h"

namespace sunmao::python {
namespace {

class Builder {
 public:
  Builder(nb::object tensor, nb::object shape)
      : faces_(std::make_shared<const Faces>(Faces{std::move(tensor), std::move(shape)})) {}

  RegisterBuilder builder;
  Operand constant(nb::handle value) { return builder.constant(to_value(value, faces_)); }
  const FacesRef& faces() const { return faces_; }

 private:
  const FacesRef faces_;
};

class Machine {
 public:
  Machine(const Builder& builder, std::shared_ptr<const Kernels> kernels)
      : kernels_(std::move(kernels)), faces_(builder.faces()),
        machine_(std::make_shared<const RegisterProgram>(builder.builder.finish()),
                 kernels_ ? kernels_->library().module() : Module()) {}

  const RegisterProgram& program() const { return machine_.program(); }

  nb::object call(const std::string& function, nb::handle args, nb::handle find, nb::handle instrument) const {
    return run(args, find, instrument, [&](ValueTuple values, const RegisterMachineOptions& options) {
      return machine_.call(function, std::move(values), options);
    });
  }

  nb::object invoke(nb::handle function, nb::handle args, nb::handle find, nb::handle instrument) const {
    const Value callee = to_value(function, faces_);
    return run(args, find, instrument, [&](ValueTuple values, const RegisterMachineOptions& options) {
      return machine_.invoke(callee, std::move(values), options);
    });
  }

 private:
  template <class F>
  nb::object run(nb::handle args, nb::handle find, nb::handle instrument, F call) const {
    ValueTuple values;
    for (nb::handle arg : nb::iter(args)) values.push_back(to_value(arg, faces_));
    RegisterMachineOptions options;
    options.host_functions = [&](const std::string& name) -> std::shared_ptr<const HostFunction> {
      if (std::shared_ptr<const HostFunction> builtin = find_program_builtin(name)) return builtin;
      nb::gil_scoped_acquire lock;
      return to_value(find(name), faces_).host_function();
    };
    if (!instrument.is_none()) options.instrument = instrument_of(instrument);
    Value result;
    {
      nb::gil_scoped_release unlocked;
      const auto with = [&](KernelRunner* kernels) {
        options.kernels = kernels;
        return call(std::move(values), options);
      };
      result = kernels_ ? kernels_->library().lend([&](KernelRunner& k) { return with(&k); }) : with(nullptr);
    }
    return from_value(result, faces_);
  }

  InstrumentCall instrument_of(nb::handle instrument) const {
    return [this, instrument](const std::string& name, bool is_before, const Value& result, const ValueTuple& args) {
      nb::gil_scoped_acquire lock;
      nb::list given;
      for (const Value& arg : args) given.append(from_value(arg, faces_));
      return nb::cast<bool>(instrument(name, is_before, from_value(result, faces_), given));
    };
  }

  const std::shared_ptr<const Kernels> kernels_;
  const FacesRef faces_;
  const RegisterMachine machine_;
};

nb::object run_builtin(const std::string& name, nb::handle args, nb::object tensor, nb::object shape) {
  const auto faces = std::make_shared<const Faces>(Faces{std::move(tensor), std::move(shape)});
  Memory memory;
  ValueTuple values;
  for (nb::handle arg : nb::iter(args)) {
    values.push_back(to_value(arg, faces));
    adopt(arg, values.back(), memory);
  }
  return from_value(call_builtin(name, values, {Type(), Span(), memory}).value_or(Value()), faces);
}

std::vector<std::string> function_names(const std::vector<RegisterFunction>& functions) {
  std::vector<std::string> out;
  for (const RegisterFunction& f : functions) out.push_back(f.name);
  return out;
}

void bind_builder_of_registers(nb::module_& m) {
  nb::class_<Operand>(m, "Operand", "An argument of an instruction: a register, an integer, a constant or a function.")
      .def_static(
          "register", [](int64_t i) { return Operand{Operand::Kind::Register, i}; }, nb::arg("number"))
      .def_static(
          "immediate", [](int64_t i) { return Operand{Operand::Kind::Immediate, i}; }, nb::arg("value"))
      .def_static(
          "constant", [](int64_t i) { return Operand{Operand::Kind::Constant, i}; }, nb::arg("number"))
      .def_prop_ro("is_register", [](const Operand& o) { return o.kind == Operand::Kind::Register; })
      .def_ro("value", &Operand::value)
      .def(
          "__eq__",
          [](const Operand& a, nb::handle b) { return nb::isinstance<Operand>(b) && a == nb::cast<const Operand&>(b); },
          nb::arg("other"), nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Operand& o) { return o.value * 4 + static_cast<int64_t>(o.kind); });
  m.attr("NOWHERE") = kNowhere;
  m.attr("MACHINE_STATE") = kMachineState;
  nb::class_<Builder>(m, "RegisterBuilder", "Makes programs on registers.")
      .def(nb::init<nb::object, nb::object>(), nb::arg("tensor"), nb::arg("shape"),
           nb::sig("def __init__(self, tensor: typing.Any, shape: typing.Any) -> None"))
      .def(
          "declare", [](Builder& b, const std::string& name) { b.builder.declare(name); }, nb::arg("name"))
      .def(
          "function", [](const Builder& b, const std::string& name) { return b.builder.function(name); },
          nb::arg("name"))
      .def("constant", &Builder::constant, nb::arg("value"),
           nb::sig("def constant(self, value: typing.Any) -> Operand"))
      .def(
          "begin_function",
          [](Builder& b, const std::string& name, std::vector<std::string> params) {
            b.builder.begin_function(name, std::move(params));
          },
          nb::arg("name"), nb::arg("params"))
      .def("end_function", [](Builder& b) { b.builder.end_function(); })
      .def(
          "emit_call",
          [](Builder& b, const std::string& callee, std::vector<Operand> args, int64_t target) {
            b.builder.emit_call(callee, std::move(args), target);
          },
          nb::arg("callee"), nb::arg("args"), nb::arg("target"))
      .def(
          "emit_return", [](Builder& b, int64_t result) { b.builder.emit_return(result); }, nb::arg("result"))
      .def(
          "emit_goto", [](Builder& b, int64_t offset) { b.builder.emit_goto(offset); }, nb::arg("offset"))
      .def(
          "emit_if", [](Builder& b, int64_t condition, int64_t offset) { b.builder.emit_if(condition, offset); },
          nb::arg("condition"), nb::arg("offset"))
      .def(
          "with_loop_forms", [](Builder& b, const Module& module) { return with_loop_forms(b.builder, module); },
          nb::arg("module"),
          "The module with what its graph-level functions compute on registers as loop-level functions.")
      .def(
          "add_functions", [](Builder& b, const Module& module) { add_functions(b.builder, module); },
          nb::arg("module"), "Adds the graph-level functions of a lowered module.");
}

}  // namespace

void bind_registers(nb::module_& m) {
  bind_builder_of_registers(m);
  nb::class_<Value>(m, "ProgramValue",
                    "A value that a program gave and only a program can use: a function of its own.");
  nb::class_<Machine>(m, "RegisterMachine", "Runs a program on registers.")
      .def(nb::init<const Builder&, std::shared_ptr<const Kernels>>(), nb::arg("builder"), nb::arg("kernels").none(),
           nb::sig("def __init__(self, builder: RegisterBuilder, kernels: Kernels | None) -> None"))
      .def_prop_ro("functions", [](const Machine& machine) { return function_names(machine.program().functions); })
      .def(
          "params",
          [](const Machine& machine, const std::string& name) {
            const RegisterFunction* f = machine.program().find(name);
            return f ? f->params : std::vector<std::string>();
          },
          nb::arg("name"))
      .def("text", [](const Machine& machine) { return text_of(machine.program()); })
      .def("builder_calls", [](const Machine& machine) { return builder_calls(machine.program()); })
      .def("statistics", [](const Machine& machine) { return statistics(machine.program()); })
      .def("call", &Machine::call, nb::arg("function"), nb::arg("args"), nb::arg("find"), nb::arg("instrument").none(),
           nb::sig("def call(self, function: str, args: collections.abc.Iterable[typing.Any], "
                   "find: collections.abc.Callable[[str], typing.Any], instrument: typing.Any) -> typing.Any"))
      .def("invoke", &Machine::invoke, nb::arg("function"), nb::arg("args"), nb::arg("find"),
           nb::arg("instrument").none(),
           nb::sig("def invoke(self, function: typing.Any, args: collections.abc.Iterable[typing.Any], "
                   "find: collections.abc.Callable[[str], typing.Any], instrument: typing.Any) -> typing.Any"));
  m.def("is_builtin", &is_builtin, nb::arg("name"), "Whether the virtual machine has a builtin of that name.");
  m.def("call_builtin", &run_builtin, nb::arg("name"), nb::arg("args"), nb::arg("tensor"), nb::arg("shape"),
        nb::sig("def call_builtin(name: str, args: collections.abc.Iterable[typing.Any], tensor: typing.Any, "
                "shape: typing.Any) -> typing.Any"),
        "Calls a builtin of the virtual machine.");
}

}  // namespace sunmao::python
