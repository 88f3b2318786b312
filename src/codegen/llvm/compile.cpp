// Compilation of kernels to an image: builds the module, optimizes it, emits an object and links it.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/kernels.h"
#include "codegen/llvm/link.h"
#include "codegen/llvm/module_builder.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using llvm_codegen::build_module;
using llvm_codegen::make_target_machine;

// The name of an LLVM pass that takes minutes on loops with many masks, and is skipped.
constexpr llvm::StringRef kSlowPass = "X86 Domain Reassignment Pass";

// Skips the slow pass and, after cancellation, all optional passes.
class PassesWhileWanted final : public llvm::OptPassGate {
 public:
  explicit PassesWhileWanted(const std::function<bool()>& is_cancelled) : is_cancelled_(is_cancelled) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(const llvm::StringRef pass, llvm::StringRef /*unit*/) override {
    return pass != kSlowPass && !(is_cancelled_ && is_cancelled_());
  }

 private:
  const std::function<bool()>& is_cancelled_;
};

llvm::SmallVector<char, 0> emit(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options,
                                llvm::CodeGenFileType type) {
  PassesWhileWanted gate(options.is_cancelled);
  llvm::LLVMContext context;
  context.setOptPassGate(gate);
  std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, options.opt_level);
  std::unique_ptr<llvm::Module> module = build_module(context, kernels, target, *machine);
  llvm_codegen::optimize(*module, *machine, options);
  if (options.is_cancelled && options.is_cancelled()) return {};
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  SUNMAO_CHECK(!machine->addPassesToEmitFile(passes, stream, nullptr, type));
  passes.run(*module);
  return bytes;
}

}  // namespace

CodeImage compile_kernels(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options) {
  const llvm::SmallVector<char, 0> object = emit(kernels, target, options, llvm::CodeGenFileType::ObjectFile);
  if (object.empty()) return {};  // cancelled
  CodeImage image{
      .isa = target.isa, .required_features = target.features, .elf = llvm_codegen::link_image(object), .names = {}};
  for (const Kernel& kernel : kernels) image.names.push_back(kernel.name);
  return image;
}

std::string kernel_assembly(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options) {
  const llvm::SmallVector<char, 0> text = emit(kernels, target, options, llvm::CodeGenFileType::AssemblyFile);
  return {text.begin(), text.end()};
}

std::string kernel_llvm_ir(std::span<const Kernel> kernels, const Target& target) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, 0);
  std::unique_ptr<llvm::Module> module = build_module(context, kernels, target, *machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

}  // namespace sunmao
