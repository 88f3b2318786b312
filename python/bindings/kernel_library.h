// Kernels: compiled loop-level functions for Python.
#pragma once
#include <string>

#include "bindings/bindings.h"
#include "compiler/kernel_library.h"

namespace sunmao::python {

class Kernels {
 public:
  Kernels(const Module& module, io::Bytes artifact, uint32_t threads)
      : library_(module, std::move(artifact), threads) {}

  /// Calls a loop-level function on tensors, which it fills, and integers.
  nb::object run(const std::string& function, nb::handle args) const;
  const KernelLibrary& library() const { return library_; }

 private:
  const KernelLibrary library_;
};

}  // namespace sunmao::python
