// The interface of code generation: loop-level functions are compiled to an image of machine code (abi/kernel.h),
// without LLVM types.
#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/bytes.h"
#include "loop/prim_func.h"
#include "support/phase_timer.h"
#include "target/target.h"

namespace sunmao {

/// A lowered function (passes/schedule/lower_kernel.h), without blocks. Its `buffers()` and `dims()` are the arguments
/// of the kernel call, in order. The buffers of a call must not overlap, except buffers that are only read.
struct Kernel {
  std::string name;
  Ref<PrimFunc> func;
};

struct CodeImage {
  std::string isa;
  std::vector<std::string> required_features;  // LLVM's names; checked by the loader
  std::vector<std::byte> elf;
  std::vector<std::string> names;  // in the order of the image's kernel table
};

/// An object file with kernels of ops in C (include/sunmao/op.h).
struct OpObject {
  std::string name;  // for messages
  io::Bytes data;
};

/// Returns the functions that other objects can call. Fails with E1008 when the file cannot be part of a code image: it
/// is no object file for the processor, or has data that it writes, initialisers or thread-local data.
std::set<std::string> functions_of(const OpObject& object);

struct CodegenOptions {
  int opt_level = 3;  // 0 to 3, with LLVM's meaning
  /// Polled during compilation; once it returns true, optional LLVM passes are skipped, and the image is empty unless
  /// optimization had ended.
  std::function<bool()> is_cancelled = {};
  OnPhase on_phase = {};        // receives code generation and linking
  OnProgress on_progress = {};  // receives how many parts of the code are generated
  std::vector<OpObject> objects = {};
  std::vector<std::string> ops = {};  // functions of `objects` that the image's table has behind the kernels
};

/// Compiles the kernels to an image, which is the same for equal kernels, target and options. Fails (E1002 to E1006) on
/// kernels that cannot be compiled, (E1007) when the linker's temporary files cannot be made, and (E1008) on objects
/// that cannot be linked.
CodeImage compile_kernels(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options = {});

/// Return the assembly, and the LLVM IR before optimization, for inspection and tests.
std::string kernel_assembly(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options = {});
std::string kernel_llvm_ir(std::span<const Kernel> kernels, const Target& target);

}  // namespace sunmao
