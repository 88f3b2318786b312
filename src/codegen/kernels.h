// Kernels: loop-level functions become one image of machine code (abi/kernel.h). No LLVM type shows here.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// `func` is lowered (passes/loop/lower_kernel.h): no blocks are left in it. Its `buffers()` are the buffers of the
/// call and its `dims()` the dims, in order. Two buffers of one call never overlap, unless neither is written.
struct Kernel {
  std::string name;
  Ref<PrimFunc> func;
};

struct CodeImage {
  std::string isa;
  std::vector<std::string> required_features;  // LLVM's names; the loader checks them
  std::vector<std::byte> elf;
  std::vector<std::string> names;  // in the order of the image's table
};

struct CodegenOptions {
  int opt_level = 3;  // 0 to 3, as LLVM's
  /// Asked again and again; once it says yes, little more is done and the image is empty.
  std::function<bool()> is_cancelled = {};
};

/// The same kernels, target and options give the same bytes. Fails with E1002 to E1006 on what cannot be compiled.
CodeImage compile_kernels(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options = {});

/// The assembly, and LLVM's IR before its optimisations, for people and tests.
std::string kernel_assembly(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options = {});
std::string kernel_llvm_ir(std::span<const Kernel> kernels, const Target& target);

}  // namespace sunmao
