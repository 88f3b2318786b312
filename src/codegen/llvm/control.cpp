// Statements: sequences, loops, branches, and vector branches by masks.

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <initializer_list>

#include "codegen/llvm/kernel_emitter.h"
#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/parallel_condition.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {

namespace {

bool divides(const llvm::Instruction& i) {
  const bool is_division = i.getOpcode() == llvm::Instruction::SDiv || i.getOpcode() == llvm::Instruction::UDiv ||
                           i.getOpcode() == llvm::Instruction::SRem || i.getOpcode() == llvm::Instruction::URem;
  return is_division && !llvm::isa<llvm::Constant>(i.getOperand(1));
}

/// True when a loop of several blocks divides by a variable: LLVM's vectorizer has to leave it. LLVM 19 takes the
/// address of a masked access from the first lane, where an address computed by a guarded division is poison if the
/// lane is off. `head` is the loop's first block, later blocks of the function belong to the loop; `latch` is its back
/// edge.
bool divides_where_it_branches(llvm::BasicBlock& head, llvm::Instruction& latch) {
  return &head != latch.getParent() &&
         std::any_of(head.getIterator(), head.getParent()->end(),
                     [](const llvm::BasicBlock& block) { return std::any_of(block.begin(), block.end(), divides); });
}

/// Tells LLVM what not to do with the loop of a back edge.
void set_rules(llvm::Instruction& latch, std::initializer_list<llvm::MDNode*> rules) {
  llvm::SmallVector<llvm::Metadata*, 4> all{nullptr};
  for (llvm::MDNode* rule : rules)
    if (rule) all.push_back(rule);
  if (all.size() == 1) return;
  llvm::MDNode* loop = llvm::MDNode::getDistinct(latch.getContext(), all);
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

llvm::MDNode* no_vectors(llvm::LLVMContext& context) {
  llvm::Metadata* off = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context));
  return llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.vectorize.enable"), off});
}

llvm::MDNode* no_unrolling(llvm::LLVMContext& context) {
  return llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
}

}  // namespace

llvm::BasicBlock* KernelEmitter::make_block(const char* name) {
  return llvm::BasicBlock::Create(context(), name, frame_->function);
}

void KernelEmitter::emit_stmt(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::BufferStore: return emit_store(*find<BufferStore>(s));
    case StmtKind::Evaluate: {
      if (const BufferLoad* soon = find_prefetch(s)) return emit_prefetch(*soon);
      const Scalar& value = find<Evaluate>(s)->value;
      if (!find<IntImm>(value)) emit(value);
      return;
    }
    case StmtKind::Seq:
      for (const Stmt& part : find<Seq>(s)->stmts) emit_stmt(part);
      return;
    case StmtKind::For: return emit_for(*find<For>(s));
    case StmtKind::While: return emit_while(*find<While>(s));
    case StmtKind::IfThenElse: return emit_if(*find<IfThenElse>(s));
    case StmtKind::Bind: {
      const auto& n = *find<Bind>(s);
      frame_->values[n.var.get()] = emit(n.value, Wrap::Index);
      return emit_stmt(n.body);
    }
    case StmtKind::Assert: return emit_assert(*find<Assert>(s));
    case StmtKind::AllocBuffer: return emit_alloc(*find<AllocBuffer>(s));
    case StmtKind::DeclBuffer: {
      const auto& n = *find<DeclBuffer>(s);
      SUNMAO_CHECK(n.buffer->data, "`{}` is declared on no memory", n.buffer->name);
      frame_->buffers[n.buffer.get()] = value_of(*n.buffer->data);
      return emit_stmt(n.body);
    }
    case StmtKind::AttrStmt: {
      const auto& n = *find<AttrStmt>(s);
      const auto* loop = find<For>(n.body);
      if (n.key == kParallelIf && loop && loop->for_kind == ForKind::Parallel) return emit_parallel(*loop, n.value);
      return emit_stmt(n.body);
    }
    case StmtKind::Block:
    case StmtKind::BlockRealize: break;
  }
  fail("E1006", s->span, fmt::format("code generation: kernel `{}` still has blocks", name_),
       "lower it first: `lower-blocks` makes loops of blocks");
}

void KernelEmitter::emit_serial_loop(llvm::Value* count, const std::string& name,
                                     const std::function<void(llvm::Value*)>& body) {
  llvm::Type* type = count->getType();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  llvm::BasicBlock *loop = make_block("loop"), *done = make_block("done");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateICmpSGT(count, zero), loop, done);
  b_.SetInsertPoint(loop);
  llvm::PHINode* counter = b_.CreatePHI(type, 2, name);
  counter->addIncoming(zero, before);
  const int loops = loops_;
  body(counter);
  const bool has_loops = loops_++ != loops;
  llvm::Value* next = b_.CreateAdd(counter, llvm::ConstantInt::get(type, 1), "", true, true);
  counter->addIncoming(next, b_.GetInsertBlock());
  llvm::Instruction* latch = b_.CreateCondBr(b_.CreateICmpSLT(next, count), loop, done);
  // Schedules unroll what shall be: copies of inner loops would be code alone.
  set_rules(*latch, {divides_where_it_branches(*loop, *latch) ? no_vectors(context()) : nullptr,
                     has_loops ? no_unrolling(context()) : nullptr});
  b_.SetInsertPoint(done);
}

void KernelEmitter::emit_for(const For& loop) {
  if (loop.for_kind == ForKind::Parallel) return emit_parallel(loop, nullptr);
  if (loop.for_kind == ForKind::ThreadBinding)
    fail("E1006", loop.span, fmt::format("code generation: loop `{}` is bound to `{}`", loop.var->name, loop.thread),
         "threads of a device do not exist on a CPU: schedule the function for this target");
  llvm::Type* type = register_type(context(), loop.var->dtype, loop.span);
  llvm::Value* start = emit(loop.min, Wrap::Index);
  llvm::Value* count = emit(loop.extent, Wrap::Index);
  emit_serial_loop(b_.CreateSExtOrTrunc(count, type), loop.var->name, [&](llvm::Value* i) {
    frame_->values[loop.var.get()] = b_.CreateAdd(b_.CreateSExtOrTrunc(start, type), i, loop.var->name, false, true);
    emit_stmt(loop.body);
  });
}

void KernelEmitter::emit_while(const While& loop) {
  llvm::BasicBlock *head = make_block("while"), *body = make_block("body"), *done = make_block("done");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  b_.CreateCondBr(emit(loop.condition), body, done);
  b_.SetInsertPoint(body);
  emit_stmt(loop.body);
  llvm::Instruction* latch = b_.CreateBr(head);
  set_rules(*latch, {divides_where_it_branches(*head, *latch) ? no_vectors(context()) : nullptr});
  b_.SetInsertPoint(done);
}

void KernelEmitter::emit_if(const IfThenElse& s) {
  llvm::Value* condition = emit(s.condition);
  if (condition->getType()->isVectorTy()) return emit_masked_if(s, condition);
  llvm::BasicBlock *yes = make_block("then"), *join = make_block("join");
  llvm::BasicBlock* no = s.else_case ? make_block("else") : join;
  b_.CreateCondBr(condition, yes, no);
  b_.SetInsertPoint(yes);
  emit_stmt(s.then_case);
  b_.CreateBr(join);
  if (s.else_case) {
    b_.SetInsertPoint(no);
    emit_stmt(s.else_case);
    b_.CreateBr(join);
  }
  b_.SetInsertPoint(join);
}

// Emits a branch on a vector condition. Inactive lanes do not access memory; without active lanes the body is
// skipped, so scalar loads in it are safe, too.
void KernelEmitter::emit_masked_if(const IfThenElse& s, llvm::Value* condition) {
  llvm::Value* outer = frame_->mask;
  auto under = [&](llvm::Value* lanes, const Stmt& body) {
    llvm::BasicBlock *some = make_block("some"), *join = make_block("join");
    b_.CreateCondBr(b_.CreateOrReduce(lanes), some, join);
    b_.SetInsertPoint(some);
    frame_->mask = lanes;
    emit_stmt(body);
    frame_->mask = outer;
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
  };
  under(outer ? b_.CreateAnd(outer, condition) : condition, s.then_case);
  if (!s.else_case) return;
  llvm::Value* rest = b_.CreateNot(condition);
  under(outer ? b_.CreateAnd(outer, rest) : rest, s.else_case);
}

void KernelEmitter::emit_assert(const Assert& s) {
  llvm::BasicBlock *bad = make_block("assert.failed"), *good = make_block("assert.holds");
  b_.CreateCondBr(emit(s.condition), good, bad);
  b_.SetInsertPoint(bad);
  llvm::Type* ptr = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {ptr, ptr}, false);
  b_.CreateRet(b_.CreateCall(type, context_field(ContextField::Fail, ptr), {frame_->context, text(s.message)}));
  b_.SetInsertPoint(good);
}

llvm::Constant* KernelEmitter::text(const std::string& s) {
  auto [it, is_new] = state_.strings.try_emplace(s, nullptr);
  if (is_new) it->second = b_.CreateGlobalString(s, "message", 0, &state_.module);
  return it->second;
}

// Emits the check that an index is in range; a failure reports the first active lane that is out of range.
llvm::Value* KernelEmitter::emit_index_check(const ScalarCall& call) {
  const IndexCheck check = index_check(call);
  llvm::Value *place = emit(check.place), *size = emit(check.size);
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(place->getType());
  if (vector && !size->getType()->isVectorTy()) size = b_.CreateVectorSplat(vector->getNumElements(), size);
  llvm::Value *lanes = b_.CreateICmpUGE(place, size), *is_bad = lanes;
  if (vector) {
    if (frame_->mask) lanes = b_.CreateAnd(lanes, frame_->mask);
    is_bad = b_.CreateOrReduce(lanes);
  }
  llvm::Value* given = emit(check.given);
  llvm::BasicBlock *bad = make_block("index.bad"), *good = make_block("index.good");
  auto* weights = llvm::MDBuilder(context()).createUnlikelyBranchWeights();
  b_.CreateCondBr(is_bad, bad, good, weights);
  b_.SetInsertPoint(bad);
  llvm::Value* first = b_.getInt32(0);
  if (vector) {
    llvm::Value* bits = b_.CreateBitCast(lanes, b_.getIntNTy(vector->getNumElements()));
    first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getTrue());
  }
  auto lane = [&](llvm::Value* v) { return v->getType()->isVectorTy() ? b_.CreateExtractElement(v, first) : v; };
  llvm::Type *ptr = b_.getPtrTy(), *number = b_.getInt64Ty();
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {ptr, ptr, number, number}, false);
  b_.CreateRet(b_.CreateCall(type, context_field(ContextField::FailIndex, ptr),
                             {frame_->context, text(check.what), lane(given), lane(size)}));
  b_.SetInsertPoint(good);
  return place;
}

}  // namespace sunmao::llvm_codegen
