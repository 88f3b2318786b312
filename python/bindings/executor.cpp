#include "bindings/executor.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "support/diagnostic.h"

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

namespace {

KernelArgument kernel_argument(nb::handle arg, const PrimParam& param, bool is_written, const std::string& what) {
  if (!param.buffer) {
    KernelArgument out{.dtype = param.var->dtype};
    if (!param.var->dtype.is_integral() || !nb::try_cast(arg, out.scalar))
      fail("E0037", {}, fmt::format("{} must be an integer of 64 bits", what));
    return out;
  }
  const nb::object native = nb::getattr(arg, "native", nb::borrow(arg));
  const HostTensor* tensor = nb::isinstance<HostTensor>(native) ? nb::inst_ptr<HostTensor>(native) : nullptr;
  if (!tensor || !tensor->is_contiguous())
    fail("E0037", {},
         fmt::format("{} must be a tensor without gaps, got a {}", what, nb::type_name(arg.type()).c_str()),
         "make one by tvm.runtime.tensor");
  if (is_written && !tensor->is_writable) fail("E0037", {}, fmt::format("{} is filled, and may not be written", what));
  return {.data = static_cast<std::byte*>(tensor->data), .shape = tensor->shape, .dtype = tensor->dtype};
}

}  // namespace

nb::object Executor::run_kernel(const std::string& function, nb::handle args) const {
  const Ref<PrimFunc> func = compiled_.module().find_as<PrimFunc>(function);
  if (!func) fail("E0037", {}, fmt::format("there is no loop-level function `{}`", function));
  const std::vector<nb::object> given = nb::cast<std::vector<nb::object>>(args);
  if (given.size() != func->params.size())
    fail("E0037", {}, fmt::format("`{}` takes {} arguments, got {}", function, func->params.size(), given.size()));
  return from_value(compiled_.with_kernels([&](KernelRunner& kernels) -> Value {
    std::vector<KernelArgument> values;
    for (size_t i = 0; i < given.size(); ++i)
      values.push_back(kernel_argument(given[i], func->params[i], kernels.may_write(*func, i),
                                       fmt::format("`{}`: argument {}", function, i)));
    nb::gil_scoped_release unlocked;
    const std::optional<Number> result = kernels.run(*func, values);
    const auto* type = func->result_type ? find<PrimType>(func->result_type) : nullptr;
    if (!type || !result) return Value();
    return type->dtype.is_float() ? Value(result->f) : Value(result->i);
  }),
                    faces_);
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
           "Calls a function that is a value of the program.")
      .def("run_kernel", &Executor::run_kernel, nb::arg("function"), nb::arg("args"),
           nb::sig("def run_kernel(self, function: str, args: list[typing.Any]) -> typing.Any"),
           "Calls a loop-level function on tensors, which it fills, and integers.");
}

}  // namespace sunmao::python
