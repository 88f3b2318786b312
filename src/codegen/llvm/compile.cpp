// Compilation of kernels to an image: builds the module, optimizes it, emits an object and links it.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "codegen/kernels.h"
#include "codegen/llvm/link.h"
#include "codegen/llvm/module_builder.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using llvm_codegen::build_memory_functions;
using llvm_codegen::build_module;
using llvm_codegen::build_table;
using llvm_codegen::make_target_machine;
using llvm_codegen::Object;

// The name of an LLVM pass that takes minutes on loops with many masks, and is skipped.
constexpr llvm::StringRef kSlowPass = "X86 Domain Reassignment Pass";

// Kernels are compiled in parts, each of which is a module of its own. Which kernels a part has depends on their number
// alone, so an image does not depend on the machine.
constexpr size_t kFewestOfPart = 4, kMostParts = 256;

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

using MakeModule = std::function<std::unique_ptr<llvm::Module>(llvm::LLVMContext&, llvm::TargetMachine&)>;

Object emit(const MakeModule& make, llvm::TargetMachine& machine, const CodegenOptions& options,
            llvm::CodeGenFileType type) {
  PassesWhileWanted gate(options.is_cancelled);
  llvm::LLVMContext context;
  context.setOptPassGate(gate);
  std::unique_ptr<llvm::Module> module = make(context, machine);
  llvm_codegen::optimize(*module, machine, options);
  llvm_codegen::keep_reductions_apart(*module);
  if (options.is_cancelled && options.is_cancelled()) return {};
  Object bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  SUNMAO_CHECK(!machine.addPassesToEmitFile(passes, stream, nullptr, type));
  passes.run(*module);
  return bytes;
}

/// Compiles parts on all processors until all are done or one has failed.
class Parts {
 public:
  Parts(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options,
        const std::vector<std::string>& functions)
      : kernels_(kernels), target_(target), options_(options), functions_(functions),
        size_(std::max(kFewestOfPart, (kernels.size() + kMostParts - 1) / kMostParts)),
        objects_((kernels.size() + size_ - 1) / size_), scratch_bytes_(objects_.size()), errors_(objects_.size()) {}

  /// Returns the objects, of which an only one has the table of functions; empty after cancellation.
  std::vector<Object> run() {
    std::vector<std::thread> helpers;
    const size_t wanted = std::min<size_t>(std::max(1U, std::thread::hardware_concurrency()), objects_.size());
    for (size_t i = 1; i < wanted; ++i) try {
        helpers.emplace_back([this] { work([this] { return is_cancelled_.load(); }); });
      } catch (const std::system_error&) {
        break;  // the system gives no more threads
      }
    // Only the caller's own thread may ask the caller.
    work([this] {
      if (options_.is_cancelled && options_.is_cancelled()) is_cancelled_ = true;
      if (options_.on_progress) options_.on_progress("generate code", done_, objects_.size());
      return is_cancelled_.load();
    });
    for (std::thread& helper : helpers) helper.join();
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
    return is_cancelled_ ? std::vector<Object>() : std::move(objects_);
  }
  int64_t scratch_bytes() const { return scratch_bytes_.empty() ? 0 : std::ranges::max(scratch_bytes_); }

 private:
  void work(std::function<bool()> is_cancelled) {
    CodegenOptions options = options_;
    options.is_cancelled = std::move(is_cancelled);
    // Of a thread, since what it knows of the processor takes longer to make than a small kernel.
    const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target_, options.opt_level);
    for (size_t i; !has_failed_ && !is_cancelled_ && (i = next_++) < objects_.size();) try {
        const size_t first = i * size_;
        const auto kernels = kernels_.subspan(first, std::min(size_, kernels_.size() - first));
        const auto make = [&](llvm::LLVMContext& context, llvm::TargetMachine& m) {
          std::unique_ptr<llvm::Module> module = build_module(context, kernels, target_, m, scratch_bytes_[i]);
          if (objects_.size() == 1) llvm_codegen::add_table(*module, functions_, scratch_bytes_[i]);
          return module;
        };
        objects_[i] = emit(make, *machine, options, llvm::CodeGenFileType::ObjectFile);
        ++done_;
      } catch (...) {
        errors_[i] = std::current_exception();
        has_failed_ = true;
      }
  }

  const std::span<const Kernel> kernels_;
  const Target& target_;
  const CodegenOptions& options_;
  const std::vector<std::string>& functions_;  // of the table
  const size_t size_;                          // kernels of a part
  std::vector<Object> objects_;
  std::vector<int64_t> scratch_bytes_;
  std::vector<std::exception_ptr> errors_;
  std::atomic<size_t> next_{0}, done_{0};
  std::atomic<bool> is_cancelled_{false}, has_failed_{false};
};

}  // namespace

CodeImage compile_kernels(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options) {
  CodeImage image{.isa = target.isa.name, .required_features = target.isa.features, .elf = {}, .names = {}};
  for (const Kernel& kernel : kernels) image.names.push_back(kernel.name);
  std::vector<std::string> functions = image.names;
  functions.insert(functions.end(), options.ops.begin(), options.ops.end());
  Parts parts(kernels, target, options, functions);
  std::vector<Object> objects = [&] {
    const PhaseTimer timer("generate code", options.on_phase);
    return parts.run();
  }();
  if (objects.empty() && !kernels.empty()) return {};  // cancelled
  const PhaseTimer timer("link", options.on_phase);
  const auto add = [&](const MakeModule& make) {
    const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, CodegenOptions().opt_level);
    objects.push_back(emit(make, *machine, {}, llvm::CodeGenFileType::ObjectFile));
  };
  if (objects.size() != 1)
    add([&](auto& context, auto& m) { return build_table(context, functions, m, parts.scratch_bytes()); });
  if (const std::set<std::string> wanted = llvm_codegen::imports_of(options.objects); !wanted.empty())
    add([&](auto& context, auto& m) { return build_memory_functions(context, wanted, m); });
  image.elf = llvm_codegen::link_image(objects, options.objects);
  return image;
}

std::string kernel_assembly(std::span<const Kernel> kernels, const Target& target, const CodegenOptions& options) {
  int64_t scratch_bytes = 0;
  const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, options.opt_level);
  const Object text =
      emit([&](auto& context, auto& m) { return build_module(context, kernels, target, m, scratch_bytes); }, *machine,
           options, llvm::CodeGenFileType::AssemblyFile);
  return {text.begin(), text.end()};
}

std::string kernel_llvm_ir(std::span<const Kernel> kernels, const Target& target) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, 0);
  int64_t scratch_bytes = 0;
  std::unique_ptr<llvm::Module> module = build_module(context, kernels, target, *machine, scratch_bytes);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

}  // namespace sunmao
