#include "bindings/kernel_library.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "support/diagnostic.h"

namespace sunmao::python {

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

nb::object Kernels::run(const std::string& function, nb::handle args) const {
  const Ref<PrimFunc> func = library_.module().find_as<PrimFunc>(function);
  if (!func) fail("E0037", {}, fmt::format("there is no loop-level function `{}`", function));
  const std::vector<nb::object> given = nb::cast<std::vector<nb::object>>(args);
  if (given.size() != func->params.size())
    fail("E0037", {}, fmt::format("`{}` takes {} arguments, got {}", function, func->params.size(), given.size()));
  std::optional<Number> result;
  library_.lend([&](KernelRunner& kernels) -> Value {
    std::vector<KernelArgument> values;
    for (size_t i = 0; i < given.size(); ++i)
      values.push_back(kernel_argument(given[i], func->params[i], kernels.may_write(*func, i),
                                       fmt::format("`{}`: argument {}", function, i)));
    nb::gil_scoped_release unlocked;
    result = kernels.run(*func, values);
    return {};
  });
  const auto* type = func->result_type ? find<PrimType>(func->result_type) : nullptr;
  if (!type || !result) return nb::none();
  return type->dtype.is_float() ? nb::cast(result->f) : nb::cast(result->i);
}

void bind_kernel_library(nb::module_& m) {
  nb::class_<Kernels>(m, "Kernels", "The compiled loop-level functions of a module.")
      .def("run", &Kernels::run, nb::arg("function"), nb::arg("args"),
           nb::sig("def run(self, function: str, args: list[typing.Any]) -> typing.Any"),
           "Calls a loop-level function on tensors, which it fills, and integers.");
}

}  // namespace sunmao::python
