// Sums of the lanes of a vector that are written as additions of halves. LLVM 19 takes such a tree for the sum of a
// whole vector of the narrow type: from sums of products of bytes (with dot-product instructions) and of differences of
// bytes it leaves steps out. It does not look through `freeze`, which changes no value that has one.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

#include "codegen/llvm/module_builder.h"

namespace sunmao::llvm_codegen {
namespace {

bool is_added(const llvm::Instruction& part) {
  for (const llvm::User* user : part.users()) {
    const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
    if (sum && sum->getOpcode() == llvm::Instruction::Add) return true;
  }
  return false;
}

/// Returns the computed integers of which a shuffle takes fewer lanes; null for other instructions.
llvm::Instruction* halved(const llvm::Instruction& i) {
  const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i);
  if (!shuffle || !shuffle->getType()->isIntOrIntVectorTy() || !shuffle->changesLength()) return nullptr;
  auto* whole = llvm::dyn_cast<llvm::Instruction>(shuffle->getOperand(0));
  const bool is_computed = whole && !llvm::isa<llvm::PHINode, llvm::LoadInst, llvm::ShuffleVectorInst>(whole);
  return is_computed && llvm::isa<llvm::UndefValue>(shuffle->getOperand(1)) ? whole : nullptr;
}

}  // namespace

void keep_reductions_apart(llvm::Module& module) {
  std::map<llvm::Instruction*, std::vector<llvm::Instruction*>> halves;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& i : block)
        if (llvm::Instruction* whole = halved(i); whole && is_added(i)) halves[whole].push_back(&i);
  for (const auto& [whole, parts] : halves) {
    auto* same = new llvm::FreezeInst(whole);
    same->insertAfter(whole);
    for (llvm::Instruction* part : parts) part->setOperand(0, same);
  }
}

}  // namespace sunmao::llvm_codegen
