#include "bindings/executor.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace sunmao::python {

ValueTuple Executor::values_of(nb::handle args) const {
  ValueTuple out;
  for (nb::handle arg : nb::iter(args)) out.push_back(to_value(arg, faces_));
  return out;
}

template <class F>
nb::object Executor::run(nb::handle find, F call) const {
  const FindHostFunction host = [&](const std::string& name) -> std::shared_ptr<const HostFunction> {
    nb::gil_scoped_acquire lock;
    return to_value(find(name), faces_).host_function();
  };
  Value result;
  {
    nb::gil_scoped_release unlocked;
    result = call(host);
  }
  return from_value(result, faces_);
}

nb::object Executor::call(const std::string& function, nb::handle args, nb::handle find) const {
  ValueTuple values = values_of(args);
  return run(find, [&](const FindHostFunction& host) { return compiled_.call(function, std::move(values), host); });
}

nb::object Executor::invoke(nb::handle function, nb::handle args, nb::handle find) const {
  const Value callee = to_value(function, faces_);
  ValueTuple values = values_of(args);
  return run(find, [&](const FindHostFunction& host) { return compiled_.invoke(callee, std::move(values), host); });
}

void bind_executor(nb::module_& m) {
  nb::class_<Value>(m, "ProgramValue",
                    "A value that a program gave and only a program can use: a function of its own.");
  nb::class_<Executor>(m, "Executor", "A compiled module whose graph level is walked.")
      .def("call", &Executor::call, nb::arg("function"), nb::arg("args"), nb::arg("find"),
           nb::sig("def call(self, function: str, args: collections.abc.Iterable[typing.Any], "
                   "find: collections.abc.Callable[[str], typing.Any]) -> typing.Any"),
           "What a function gives. `find` knows functions of the host by their names, and gives None for others.")
      .def("invoke", &Executor::invoke, nb::arg("function"), nb::arg("args"), nb::arg("find"),
           nb::sig("def invoke(self, function: typing.Any, args: collections.abc.Iterable[typing.Any], "
                   "find: collections.abc.Callable[[str], typing.Any]) -> typing.Any"),
           "Calls a function that is a value of the program.");
}

}  // namespace sunmao::python
