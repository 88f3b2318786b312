// KernelLibrary: the kernels of an artifact, called one by one on memory that the caller owns. It serves instructions
// on registers (upstream_vm/machine.h) and libraries of loop-level functions (Python's tirx.build), which update
// buffers in place and may get a number back. Bytecode cannot replace it: it places results itself and never writes to
// arguments.
#pragma once
#include <functional>

#include "eval/kernel_runner.h"
#include "eval/value.h"
#include "io/bytes.h"
#include "ir/module.h"

namespace sunmao {

class KernelLibrary {
 public:
  /// `artifact` must be built from `module` with all kernels (`CompileOptions::kernels_alone`). `threads` is the
  /// maximum number of threads per kernel; 0: as many as the process allows.
  KernelLibrary(Module module, io::Bytes artifact, uint32_t threads = 0);
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  const Module& module() const { return module_; }
  /// Lends the kernels of the module's loop-level functions to `use`; thread-safe.
  Value lend(const std::function<Value(KernelRunner&)>& use) const;

 private:
  class Loaded;
  const Module module_;
  const std::unique_ptr<Loaded> loaded_;
};

}  // namespace sunmao
