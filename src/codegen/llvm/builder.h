// Builder: LLVM's builder of instructions, which returns an integer operation or an address again where the same one
// stands in the block already. A tile is hundreds of accesses to few places, so that most of what its indices are made
// of is emitted once.
#pragma once
#include <llvm/IR/ConstantFolder.h>
#include <llvm/IR/IRBuilder.h>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace sunmao::llvm_codegen {

/// The operations of the block at whose end a builder inserts.
class BlockOperations {
 public:
  struct Key {
    unsigned opcode, detail;  // flags, predicate or intrinsic
    const llvm::Type* type;
    const llvm::Value *a, *b, *c = nullptr;
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// Returns the operation where it stands in the block of the builder already, else null.
  llvm::Value* find(const Key& key) const;
  void add(llvm::Instruction& instruction);

  const llvm::IRBuilderBase* builder = nullptr;

 private:
  struct Hash {
    size_t operator()(const Key& k) const;
  };
  const llvm::BasicBlock* block_ = nullptr;
  std::unordered_map<Key, llvm::Instruction*, Hash> known_;
};

/// Folds constants, adds no zeros, multiplies by no ones, and finds operations that stand there.
class SharingFolder final : public llvm::IRBuilderFolder {
 public:
  explicit SharingFolder(std::shared_ptr<const BlockOperations> known) : known_(std::move(known)) {}

  llvm::Value* FoldBinOp(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b) const override;
  llvm::Value* FoldExactBinOp(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b,
                              bool exact) const override;
  llvm::Value* FoldNoWrapBinOp(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b, bool nuw,
                               bool nsw) const override;
  llvm::Value* FoldCmp(llvm::CmpInst::Predicate p, llvm::Value* a, llvm::Value* b) const override;
  llvm::Value* FoldGEP(llvm::Type* type, llvm::Value* pointer, llvm::ArrayRef<llvm::Value*> indices,
                       llvm::GEPNoWrapFlags flags) const override;
  llvm::Value* FoldCast(llvm::Instruction::CastOps op, llvm::Value* v, llvm::Type* to) const override;
  llvm::Value* FoldSelect(llvm::Value* c, llvm::Value* yes, llvm::Value* no) const override;
  llvm::Value* FoldBinaryIntrinsic(llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b, llvm::Type* type,
                                   llvm::Instruction* flags) const override;

  llvm::Value* FoldBinOpFMF(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b,
                            llvm::FastMathFlags flags) const override {
    return constants_.FoldBinOpFMF(op, a, b, flags);
  }
  llvm::Value* FoldUnOpFMF(llvm::Instruction::UnaryOps op, llvm::Value* v, llvm::FastMathFlags flags) const override {
    return constants_.FoldUnOpFMF(op, v, flags);
  }
  llvm::Value* FoldExtractValue(llvm::Value* v, llvm::ArrayRef<unsigned> at) const override {
    return constants_.FoldExtractValue(v, at);
  }
  llvm::Value* FoldInsertValue(llvm::Value* v, llvm::Value* part, llvm::ArrayRef<unsigned> at) const override {
    return constants_.FoldInsertValue(v, part, at);
  }
  llvm::Value* FoldExtractElement(llvm::Value* v, llvm::Value* at) const override {
    return constants_.FoldExtractElement(v, at);
  }
  llvm::Value* FoldInsertElement(llvm::Value* v, llvm::Value* part, llvm::Value* at) const override {
    return constants_.FoldInsertElement(v, part, at);
  }
  llvm::Value* FoldShuffleVector(llvm::Value* a, llvm::Value* b, llvm::ArrayRef<int> mask) const override {
    return constants_.FoldShuffleVector(a, b, mask);
  }
  llvm::Value* CreatePointerCast(llvm::Constant* c, llvm::Type* to) const override {
    return constants_.CreatePointerCast(c, to);
  }
  llvm::Value* CreatePointerBitCastOrAddrSpaceCast(llvm::Constant* c, llvm::Type* to) const override {
    return constants_.CreatePointerBitCastOrAddrSpaceCast(c, to);
  }

 private:
  const std::shared_ptr<const BlockOperations> known_;
  const llvm::ConstantFolder constants_;
};

/// Inserts instructions, and notes operations for the folder.
class SharingInserter final : public llvm::IRBuilderDefaultInserter {
 public:
  explicit SharingInserter(std::shared_ptr<BlockOperations> known) : known_(std::move(known)) {}
  void InsertHelper(llvm::Instruction* i, const llvm::Twine& name, llvm::BasicBlock::iterator at) const override;

 private:
  const std::shared_ptr<BlockOperations> known_;
};

class Builder final : public llvm::IRBuilder<SharingFolder, SharingInserter> {
 public:
  explicit Builder(llvm::LLVMContext& context) : Builder(context, std::make_shared<BlockOperations>()) {}

 private:
  Builder(llvm::LLVMContext& context, const std::shared_ptr<BlockOperations>& known)
      : IRBuilder(context, SharingFolder(known), SharingInserter(known)) {
    known->builder = this;
  }
};

}  // namespace sunmao::llvm_codegen
