// The functions of memory that compilers of C call on their own, for object files in an image.
#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/module_builder.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

class MemoryFunction {
 public:
  MemoryFunction(llvm::Module& module, const std::string& name, llvm::Type* result, std::vector<llvm::Type*> params)
      : b_(module.getContext()), function_(llvm::Function::Create(llvm::FunctionType::get(result, params, false),
                                                                  llvm::GlobalValue::ExternalLinkage, name, module)) {
    function_->addFnAttr("no-builtins");  // or the loop would become a call of itself
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    function_->setVisibility(llvm::GlobalValue::HiddenVisibility);
    b_.SetInsertPoint(block("entry"));
  }

  llvm::Value* arg(unsigned i) { return function_->getArg(i); }
  llvm::Value* byte_at(llvm::Value* base, llvm::Value* index) { return b_.CreateGEP(b_.getInt8Ty(), base, index); }

  /// Emits a loop over [0, count), in which `body` gets the index and the block that follows the loop.
  template <class Body>
  void for_each(llvm::Value* count, Body body) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = block("loop"), *end = block("end");
    b_.CreateCondBr(b_.CreateICmpEQ(count, b_.getInt64(0)), end, loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* index = b_.CreatePHI(b_.getInt64Ty(), 2);
    index->addIncoming(b_.getInt64(0), before);
    body(index);
    llvm::Value* next = b_.CreateAdd(index, b_.getInt64(1));
    index->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpEQ(next, count), end, loop);
    b_.SetInsertPoint(end);
  }

  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function_); }
  llvm::IRBuilder<>& builder() { return b_; }

 private:
  llvm::IRBuilder<> b_;
  llvm::Function* function_;
};

/// memcpy and memmove: parts that overlap are copied from the end on where that is right.
void add_copy(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *size = llvm::Type::getInt64Ty(context);
  MemoryFunction f(module, name, pointer, {pointer, pointer, size});
  llvm::IRBuilder<>& b = f.builder();
  const auto copy = [&](llvm::Value* index) {
    b.CreateStore(b.CreateLoad(b.getInt8Ty(), f.byte_at(f.arg(1), index)), f.byte_at(f.arg(0), index));
  };
  llvm::BasicBlock *forwards = f.block("forwards"), *backwards = f.block("backwards");
  b.CreateCondBr(b.CreateICmpULE(f.arg(0), f.arg(1)), forwards, backwards);
  b.SetInsertPoint(forwards);
  f.for_each(f.arg(2), copy);
  b.CreateRet(f.arg(0));
  b.SetInsertPoint(backwards);
  f.for_each(f.arg(2), [&](llvm::Value* i) { copy(b.CreateSub(b.CreateSub(f.arg(2), b.getInt64(1)), i)); });
  b.CreateRet(f.arg(0));
}

void add_fill(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *size = llvm::Type::getInt64Ty(context);
  MemoryFunction f(module, "memset", pointer, {pointer, llvm::Type::getInt32Ty(context), size});
  llvm::IRBuilder<>& b = f.builder();
  llvm::Value* byte = b.CreateTrunc(f.arg(1), b.getInt8Ty());
  f.for_each(f.arg(2), [&](llvm::Value* i) { b.CreateStore(byte, f.byte_at(f.arg(0), i)); });
  b.CreateRet(f.arg(0));
}

void add_comparison(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *size = llvm::Type::getInt64Ty(context);
  MemoryFunction f(module, "memcmp", llvm::Type::getInt32Ty(context), {pointer, pointer, size});
  llvm::IRBuilder<>& b = f.builder();
  f.for_each(f.arg(2), [&](llvm::Value* i) {
    const auto byte = [&](unsigned arg) {
      return b.CreateZExt(b.CreateLoad(b.getInt8Ty(), f.byte_at(f.arg(arg), i)), b.getInt32Ty());
    };
    llvm::Value* difference = b.CreateSub(byte(0), byte(1));
    llvm::BasicBlock *differs = f.block("differs"), *equal = f.block("equal");
    b.CreateCondBr(b.CreateICmpEQ(difference, b.getInt32(0)), equal, differs);
    b.SetInsertPoint(differs);
    b.CreateRet(difference);
    b.SetInsertPoint(equal);
  });
  b.CreateRet(b.getInt32(0));
}

}  // namespace

void add_memory_functions(llvm::Module& module, const std::set<std::string>& names) {
  for (const char* name : {"memcpy", "memmove"})
    if (names.contains(name)) add_copy(module, name);
  if (names.contains("memset")) add_fill(module);
  if (names.contains("memcmp")) add_comparison(module);
}

}  // namespace sunmao::llvm_codegen
