// Executor: a compiled module for Python, which interprets the graph level and runs compiled kernels.
#pragma once
#include <string>

#include "bindings/program_values.h"
#include "compiler/compiled_executor.h"

namespace sunmao::python {

class Executor {
 public:
  Executor(const Module& module, io::Bytes artifact, uint32_t threads, Faces faces)
      : compiled_(module, std::move(artifact), threads), faces_(std::make_shared<const Faces>(std::move(faces))) {}

  /// Calls a function. `find` looks up functions of the host by name. The GIL is released while the program runs.
  nb::object call(const std::string& function, nb::handle args, nb::handle find) const;
  nb::object invoke(nb::handle function, nb::handle args, nb::handle find) const;
  /// Calls a loop-level function on tensors, which it fills, and integers.
  nb::object run_kernel(const std::string& function, nb::handle args) const;
  const CompiledExecutor& compiled() const { return compiled_; }

 private:
  ValueTuple values_of(nb::handle args) const;
  template <class F>
  nb::object run(nb::handle find, F call) const;

  const CompiledExecutor compiled_;
  const FacesRef faces_;
};

}  // namespace sunmao::python
