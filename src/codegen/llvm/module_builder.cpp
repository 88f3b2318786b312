#include "codegen/llvm/module_builder.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "abi/kernel.h"
#include "codegen/llvm/kernel_emitter.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

// What of LLVM's passes serves kernels, which come as loops in registers without calls: LLVM's own list has many more,
// which serve programs (docs/adr/0041). The first part brings what the emitter wrote into normal form, the second
// vectorizes the loops that schedules have left scalar.
constexpr const char* kSimplify =
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-instsimplify,licm<allowspeculation>,loop-rotate<header-duplication>,licm<allowspeculation>),"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,gvn,instcombine<no-verify-fixpoint>,dse,loop-mssa("
    "licm<allowspeculation>),simplifycfg)";
constexpr const char* kVectorize =
    "function<eager-inv>(loop-vectorize,infer-alignment,instcombine<no-verify-fixpoint>,"
    "simplifycfg<no-keep-loops;hoist-common-insts;sink-common-insts>,vector-combine,loop-unroll<O3>,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),loop-sink,div-rem-pairs,"
    "simplifycfg<no-keep-loops>)";

void initialize_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

std::unique_ptr<llvm::Module> empty_module(llvm::LLVMContext& context, llvm::TargetMachine& machine) {
  auto module = std::make_unique<llvm::Module>("kernels", context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  module->setPICLevel(llvm::PICLevel::SmallPIC);
  return module;
}

void check(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  SUNMAO_CHECK(!llvm::verifyModule(module, &stream), "{}", problem);
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target& target, int opt_level) {
  initialize_once();
  std::string error, features;
  const llvm::Target* known = llvm::TargetRegistry::lookupTarget(target.isa.triple, error);
  SUNMAO_CHECK(known, "{}", error);
  for (const std::string& f : target.isa.features) features += (features.empty() ? "+" : ",+") + f;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // fuse only operations with the `contract` flag
  options.FunctionSections = false;
  const auto level = static_cast<llvm::CodeGenOptLevel>(std::clamp(opt_level, 0, 3));
  return std::unique_ptr<llvm::TargetMachine>(known->createTargetMachine(
      target.isa.triple, target.isa.cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
}

std::unique_ptr<llvm::Module> build_module(llvm::LLVMContext& context, std::span<const Kernel> kernels,
                                           const Target& target, llvm::TargetMachine& machine, int64_t& scratch_bytes) {
  std::unique_ptr<llvm::Module> module = empty_module(context, machine);
  ModuleState state{*module, target};
  for (const Kernel& kernel : kernels) KernelEmitter(state, kernel.name, kernel.func).emit();
  scratch_bytes = state.scratch_bytes;
  check(*module);
  return module;
}

// Magic, ABI version, number of kernels, the offset of each kernel from the table, and the bytes of scratch memory.
void add_table(llvm::Module& module, const std::vector<std::string>& functions, int64_t scratch_bytes) {
  std::set<std::string> names;
  for (const std::string& name : functions)
    SUNMAO_CHECK(names.insert(name).second && name != kTableName, "two kernels are named `{}`", name);
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *word = llvm::Type::getInt32Ty(context), *wide = llvm::Type::getInt64Ty(context);
  auto* offsets_type = llvm::ArrayType::get(word, functions.size());
  auto* type = llvm::StructType::get(context, {word, word, word, offsets_type, word});
  auto* table = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage, nullptr, kTableName);
  table->setDSOLocal(true);
  table->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  table->setAlignment(llvm::Align(8));
  llvm::Constant* start = llvm::ConstantExpr::getPtrToInt(table, wide);
  std::vector<llvm::Constant*> offsets;
  auto* entry_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  for (const std::string& name : functions) {
    llvm::Function* entry = module.getFunction(name);
    if (!entry) entry = llvm::Function::Create(entry_type, llvm::GlobalValue::ExternalLinkage, name, module);
    entry->setDSOLocal(true);
    entry->setVisibility(llvm::GlobalValue::ProtectedVisibility);
    llvm::Constant* distance = llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(entry, wide), start);
    offsets.push_back(llvm::ConstantExpr::getTrunc(distance, word));
  }
  auto number = [&](uint64_t v) { return llvm::ConstantInt::get(word, v); };
  table->setInitializer(llvm::ConstantStruct::get(
      type, {number(SUNMAO_KERNEL_TABLE_MAGIC), number(SUNMAO_KERNEL_ABI), number(functions.size()),
             llvm::ConstantArray::get(offsets_type, offsets), number(static_cast<uint64_t>(scratch_bytes))}));
  check(module);
}

std::unique_ptr<llvm::Module> build_table(llvm::LLVMContext& context, const std::vector<std::string>& functions,
                                          llvm::TargetMachine& machine, int64_t scratch_bytes) {
  std::unique_ptr<llvm::Module> module = empty_module(context, machine);
  add_table(*module, functions, scratch_bytes);
  return module;
}

std::unique_ptr<llvm::Module> build_memory_functions(llvm::LLVMContext& context, const std::set<std::string>& names,
                                                     llvm::TargetMachine& machine) {
  std::unique_ptr<llvm::Module> module = empty_module(context, machine);
  add_memory_functions(*module, names);
  check(*module);
  return module;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, const CodegenOptions& options) {
  llvm::PassInstrumentationCallbacks callbacks;
  if (options.is_cancelled)
    callbacks.registerShouldRunOptionalPassCallback(
        [&options](llvm::StringRef, llvm::Any) { return !options.is_cancelled(); });
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  // No library is available at run time, so LLVM must neither recognize nor call library functions.
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::ModulePassManager passes;
  if (options.opt_level <= 0) passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  if (options.opt_level >= 1) llvm::cantFail(builder.parsePassPipeline(passes, kSimplify));
  if (options.opt_level >= 2) llvm::cantFail(builder.parsePassPipeline(passes, kVectorize));
  passes.run(module, modules);
}

}  // namespace sunmao::llvm_codegen
