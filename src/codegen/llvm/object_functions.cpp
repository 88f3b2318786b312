#include "codegen/llvm/object_functions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "abi/shared_object.h"
#include "codegen/llvm/module_builder.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

/// Builds functions that pass what they are given to sunmao_object_call and sunmao_object_run.
class ObjectFunctions {
 public:
  explicit ObjectFunctions(llvm::Module& module)
      : module_(module), builder_(module.getContext()), pointer_(builder_.getPtrTy()), word_(builder_.getInt64Ty()) {}

  void add_artifact(uint64_t size) {
    auto* bytes = new llvm::GlobalVariable(module_, builder_.getInt8Ty(), true, llvm::GlobalValue::ExternalLinkage,
                                           nullptr, kArtifactBytes);
    bytes->setVisibility(llvm::GlobalValue::HiddenVisibility);
    auto* type = llvm::StructType::get(module_.getContext(), {pointer_, word_});
    auto* model = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::ExternalLinkage,
                                           llvm::ConstantStruct::get(type, {bytes, builder_.getInt64(size)}),
                                           "sunmao_object_model");
    model->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }

  void add(const ObjectFunction& f) {
    llvm::Constant* const record = record_of(f);
    add_call(f, record);
    if (!f.run.empty()) add_run(f, record);
  }

 private:
  llvm::Constant* record_of(const ObjectFunction& f) {
    const auto constant = [&](llvm::Constant* value) {
      return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value);
    };
    const std::vector<uint64_t> words(f.words.begin(), f.words.end());
    llvm::Constant* const name = constant(llvm::ConstantDataArray::getString(module_.getContext(), f.name));
    llvm::Constant* const list = constant(llvm::ConstantDataArray::get(module_.getContext(), words));
    auto* type = llvm::StructType::get(module_.getContext(), {pointer_, pointer_});
    return constant(llvm::ConstantStruct::get(type, {name, list}));
  }

  llvm::Function* begin(const std::string& symbol, const std::vector<llvm::Type*>& parameters) {
    auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), parameters, false);
    auto* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module_);
    f->setUWTableKind(llvm::UWTableKind::Async);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", f));
    return f;
  }

  llvm::Value* room_for(size_t words) {
    return builder_.CreateAlloca(word_, builder_.getInt64(std::max<size_t>(words, 1)));
  }

  void end(const char* target, const std::vector<llvm::Value*>& arguments) {
    std::vector<llvm::Type*> types;
    for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
    auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), types, false);
    llvm::FunctionCallee callee = module_.getOrInsertFunction(target, type);
    llvm::cast<llvm::Function>(callee.getCallee())->setVisibility(llvm::GlobalValue::HiddenVisibility);
    builder_.CreateRet(builder_.CreateCall(callee, arguments));
  }

  // session, inputs, outputs, error
  void add_call(const ObjectFunction& f, llvm::Constant* record) {
    const llvm::Function* call = begin(f.call, {pointer_, pointer_, pointer_, pointer_});
    llvm::Value* const scratch = room_for(f.tensors * SUNMAO_OBJECT_TENSOR_BYTES / 8);
    end("sunmao_object_call", {call->getArg(0), record, call->getArg(1), call->getArg(2), scratch, call->getArg(3)});
  }

  // session, sizes, addresses, error; a size and an address are passed alike
  void add_run(const ObjectFunction& f, llvm::Constant* record) {
    const auto count = static_cast<unsigned>(f.sizes + f.tensors);
    std::vector<llvm::Type*> parameters(count + 2, word_);
    parameters.front() = parameters.back() = pointer_;
    const llvm::Function* run = begin(f.run, parameters);
    llvm::Value* const arguments = room_for(count);
    for (unsigned i = 0; i < count; ++i)
      builder_.CreateStore(run->getArg(1 + i), builder_.CreateConstGEP1_32(word_, arguments, i));
    const size_t given = f.tensors * sizeof(sunmao_object_tensor) / 8;
    llvm::Value* const scratch = room_for(f.tensors * SUNMAO_OBJECT_TENSOR_BYTES / 8 + given + f.dims);
    end("sunmao_object_run", {run->getArg(0), record, arguments, scratch, run->getArg(1 + count)});
  }

  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  llvm::Type *pointer_, *word_;
};

}  // namespace

Object object_functions(std::span<const ObjectFunction> functions, uint64_t size) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine({*find_isa("x86-64"), {}}, 1);
  llvm::Module module("functions", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  ObjectFunctions builder(module);
  builder.add_artifact(size);
  for (const ObjectFunction& f : functions) builder.add(f);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  SUNMAO_CHECK(!llvm::verifyModule(module, &stream), "{}", problem);
  Object bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  SUNMAO_CHECK(!machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(module);
  return bytes;
}

}  // namespace sunmao::llvm_codegen
