#include "codegen/llvm/builder.h"

#include <llvm/ADT/Hashing.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <optional>

namespace sunmao::llvm_codegen {
namespace {

using Key = BlockOperations::Key;

bool is_integer(const llvm::Type* type) { return type->isIntOrIntVectorTy(); }

// Without flags, which a builder sets behind the insertion.
Key key_of_binary(unsigned op, const llvm::Value* a, const llvm::Value* b) {
  return {op, 0, a->getType(), a, b, nullptr};
}

/// Returns `known` if it is a binary operation with these flags, else null.
llvm::Value* with_flags(llvm::Value* known, bool nuw, bool nsw, bool exact) {
  const auto* i = llvm::dyn_cast_or_null<llvm::BinaryOperator>(known);
  if (!i) return nullptr;
  const bool wraps = llvm::isa<llvm::OverflowingBinaryOperator>(i),
             is_division = llvm::isa<llvm::PossiblyExactOperator>(i);
  const bool same = (wraps && i->hasNoUnsignedWrap()) == nuw && (wraps && i->hasNoSignedWrap()) == nsw &&
                    (is_division && i->isExact()) == exact;
  return same ? known : nullptr;
}

/// Returns the key of what may be shared: arithmetic on integers, comparisons of them, and addresses.
std::optional<Key> key_of(const llvm::Instruction& i) {
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&i)) {
    if (!is_integer(i.getType())) return std::nullopt;
    return key_of_binary(i.getOpcode(), binary->getOperand(0), binary->getOperand(1));
  }
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i))
    return Key{i.getOpcode(),          compare->getPredicate(), i.getType(),
               compare->getOperand(0), compare->getOperand(1),  nullptr};
  if (const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    if (place->getNumIndices() != 1) return std::nullopt;
    return Key{i.getOpcode(),
               place->getNoWrapFlags().getRaw(),
               place->getSourceElementType(),
               place->getPointerOperand(),
               place->getOperand(1),
               nullptr};
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&i)) {
    const bool has_flags = i.getRawSubclassOptionalData() != 0;
    if (has_flags || !is_integer(i.getType()) || !is_integer(cast->getSrcTy())) return std::nullopt;
    return Key{i.getOpcode(), 0, i.getType(), cast->getOperand(0), nullptr, nullptr};
  }
  if (const auto* extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&i))
    return Key{i.getOpcode(), extreme->getIntrinsicID(), i.getType(), extreme->getLHS(), extreme->getRHS(), nullptr};
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&i); choice && is_integer(i.getType()))
    return Key{i.getOpcode(), 0, i.getType(), choice->getCondition(), choice->getTrueValue(), choice->getFalseValue()};
  return std::nullopt;
}

bool is_number(const llvm::Value* v, uint64_t number) {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  return c && c->getValue() == number;
}

/// Returns what an operation gives whose operand changes nothing, else null.
llvm::Value* without_neutral(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b) {
  if (op == llvm::Instruction::Add && is_number(a, 0)) return b;
  if ((op == llvm::Instruction::Add || op == llvm::Instruction::Sub) && is_number(b, 0)) return a;
  if (op == llvm::Instruction::Mul && is_number(a, 1)) return b;
  if (op == llvm::Instruction::Mul && is_number(b, 1)) return a;
  return nullptr;
}

}  // namespace

size_t BlockOperations::Hash::operator()(const Key& k) const {
  return llvm::hash_combine(k.opcode, k.detail, k.type, k.a, k.b, k.c);
}

llvm::Value* BlockOperations::find(const Key& key) const {
  const llvm::BasicBlock* here = builder->GetInsertBlock();
  if (!here || here != block_ || builder->GetInsertPoint() != here->end()) return nullptr;
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : found->second;
}

void BlockOperations::add(llvm::Instruction& instruction) {
  if (instruction.getParent() != block_) {
    block_ = instruction.getParent();
    known_.clear();
  }
  if (const std::optional<Key> key = key_of(instruction)) known_.try_emplace(*key, &instruction);
}

llvm::Value* SharingFolder::FoldBinOp(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b) const {
  if (llvm::Value* folded = constants_.FoldBinOp(op, a, b)) return folded;
  return is_integer(a->getType()) ? with_flags(known_->find(key_of_binary(op, a, b)), false, false, false) : nullptr;
}

llvm::Value* SharingFolder::FoldExactBinOp(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b,
                                           bool exact) const {
  if (llvm::Value* folded = constants_.FoldExactBinOp(op, a, b, exact)) return folded;
  return is_integer(a->getType()) ? with_flags(known_->find(key_of_binary(op, a, b)), false, false, exact) : nullptr;
}

llvm::Value* SharingFolder::FoldNoWrapBinOp(llvm::Instruction::BinaryOps op, llvm::Value* a, llvm::Value* b, bool nuw,
                                            bool nsw) const {
  if (llvm::Value* folded = constants_.FoldNoWrapBinOp(op, a, b, nuw, nsw)) return folded;
  if (llvm::Value* same = without_neutral(op, a, b)) return same;
  return with_flags(known_->find(key_of_binary(op, a, b)), nuw, nsw, false);
}

llvm::Value* SharingFolder::FoldCmp(llvm::CmpInst::Predicate p, llvm::Value* a, llvm::Value* b) const {
  if (llvm::Value* folded = constants_.FoldCmp(p, a, b)) return folded;
  if (!is_integer(a->getType())) return nullptr;
  return known_->find({llvm::Instruction::ICmp, p, llvm::CmpInst::makeCmpResultType(a->getType()), a, b, nullptr});
}

llvm::Value* SharingFolder::FoldGEP(llvm::Type* type, llvm::Value* pointer, llvm::ArrayRef<llvm::Value*> indices,
                                    llvm::GEPNoWrapFlags flags) const {
  if (llvm::Value* folded = constants_.FoldGEP(type, pointer, indices, flags)) return folded;
  if (indices.size() != 1) return nullptr;
  if (is_number(indices[0], 0)) return pointer;
  return known_->find({llvm::Instruction::GetElementPtr, flags.getRaw(), type, pointer, indices[0], nullptr});
}

llvm::Value* SharingFolder::FoldCast(llvm::Instruction::CastOps op, llvm::Value* v, llvm::Type* to) const {
  if (llvm::Value* folded = constants_.FoldCast(op, v, to)) return folded;
  return is_integer(to) && is_integer(v->getType()) ? known_->find({op, 0, to, v, nullptr, nullptr}) : nullptr;
}

llvm::Value* SharingFolder::FoldSelect(llvm::Value* c, llvm::Value* yes, llvm::Value* no) const {
  if (llvm::Value* folded = constants_.FoldSelect(c, yes, no)) return folded;
  return is_integer(yes->getType()) ? known_->find({llvm::Instruction::Select, 0, yes->getType(), c, yes, no})
                                    : nullptr;
}

llvm::Value* SharingFolder::FoldBinaryIntrinsic(llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b,
                                                llvm::Type* type, llvm::Instruction* flags) const {
  if (llvm::Value* folded = constants_.FoldBinaryIntrinsic(id, a, b, type, flags)) return folded;
  return is_integer(a->getType()) ? known_->find({llvm::Instruction::Call, id, a->getType(), a, b, nullptr}) : nullptr;
}

void SharingInserter::InsertHelper(llvm::Instruction* i, const llvm::Twine& name, llvm::BasicBlock::iterator at) const {
  IRBuilderDefaultInserter::InsertHelper(i, name, at);
  if (i->getParent()) known_->add(*i);
}

}  // namespace sunmao::llvm_codegen
