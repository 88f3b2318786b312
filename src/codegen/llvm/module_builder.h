// The LLVM modules of an image: construction from kernels, the kernel table, and LLVM's optimization pipeline.
#pragma once
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <set>

#include "codegen/kernels.h"

namespace sunmao::llvm_codegen {

/// The symbol of the kernel table, which is the image's entry point.
inline constexpr const char* kTableName = "sunmao_kernel_table";

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target& target, int opt_level);
/// Sets `scratch_bytes` to the most scratch memory that a kernel needs.
std::unique_ptr<llvm::Module> build_module(llvm::LLVMContext& context, std::span<const Kernel> kernels,
                                           const Target& target, llvm::TargetMachine& machine, int64_t& scratch_bytes);
/// Adds the table of functions, kernels and then ops, which this module or others define.
void add_table(llvm::Module& module, const std::vector<std::string>& functions, int64_t scratch_bytes);
/// Returns a module with the table alone.
std::unique_ptr<llvm::Module> build_table(llvm::LLVMContext& context, const std::vector<std::string>& functions,
                                          llvm::TargetMachine& machine, int64_t scratch_bytes);
/// Returns a module with those of the C library's functions of memory (`memcpy` …) that `names` has.
std::unique_ptr<llvm::Module> build_memory_functions(llvm::LLVMContext& context, const std::set<std::string>& names,
                                                     llvm::TargetMachine& machine);
void add_memory_functions(llvm::Module& module, const std::set<std::string>& names);
/// Keeps instruction selection from a mistake with sums of lanes; the last change of a module.
void keep_reductions_apart(llvm::Module& module);
void optimize(llvm::Module& module, llvm::TargetMachine& machine, const CodegenOptions& options);

}  // namespace sunmao::llvm_codegen
