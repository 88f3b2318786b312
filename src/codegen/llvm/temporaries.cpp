// Temporaries: small ones on the stack, others in the scratch memory of the thread (abi/kernel.h).

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "codegen/llvm/kernel_emitter.h"
#include "loop/temporaries.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::llvm_codegen {
namespace {

constexpr int64_t kAlign = 64;

int64_t aligned(int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

int64_t constant_bytes(const Buffer& buffer) {
  std::vector<int64_t> shape;
  for (const Scalar& extent : buffer.shape) {
    const int64_t* n = find_int(extent);
    if (!n)
      fail("E1003", buffer.span, fmt::format("code generation: temporary `{}` has no constant size", buffer.name),
           "make it a parameter of the kernel, so that memory for it is planned");
    shape.push_back(*n);
  }
  return shape_bytes(shape, buffer.dtype).value_or(kMaxScratchBytes + 1);
}

/// Returns the address that an instruction reads or writes; null for one that does neither.
llvm::Value* address_of(llvm::Instruction& i) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return load->getPointerOperand();
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return store->getPointerOperand();
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!call) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather: return call->getArgOperand(0);
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter: return call->getArgOperand(1);
    default: return nullptr;
  }
}

}  // namespace

void KernelEmitter::emit_alloc(const AllocBuffer& s) {
  const Buffer& buffer = *s.buffer;
  const int64_t bytes = constant_bytes(buffer);
  const int64_t outer = frame_->scratch_end;
  if (bytes <= kLargestOnStack && frame_->stack_bytes + aligned(bytes) <= kMaxStackBytes)
    declare(s.buffer, on_stack(buffer, bytes));
  else
    declare(s.buffer, in_scratch(buffer, bytes));
  emit_stmt(s.body);
  frame_->scratch_end = outer;
}

llvm::Value* KernelEmitter::on_stack(const Buffer& buffer, int64_t bytes) {
  frame_->stack_bytes += aligned(bytes);
  llvm::Type* element = memory_type(context(), buffer.dtype, buffer.span);
  if (buffer.dtype.is_packed()) element = b_.getInt8Ty();
  const int64_t size = std::max<int64_t>(1, buffer.dtype.is_packed() ? bytes : bytes / buffer.dtype.bytes());
  return new llvm::AllocaInst(llvm::ArrayType::get(element, static_cast<uint64_t>(size)), 0, nullptr,
                              llvm::Align(kAlign), buffer.name, frame_->allocas);
}

llvm::Value* KernelEmitter::in_scratch(const Buffer& buffer, int64_t bytes) {
  const int64_t start = frame_->scratch_end;
  if (bytes > kMaxScratchBytes - start)
    fail("E1003", buffer.span,
         fmt::format("code generation: temporaries of kernel `{}` take more than {} MiB for each thread, `{}` among "
                     "them",
                     name_, kMaxScratchBytes >> 20, buffer.name),
         "make it a parameter of the kernel, so that memory for it is planned");
  frame_->scratch_end = start + aligned(bytes);
  state_.scratch_bytes = std::max(state_.scratch_bytes, frame_->scratch_end);
  if (!frame_->scratch) {
    const llvm::IRBuilderBase::InsertPointGuard here(b_);
    b_.SetInsertPoint(frame_->allocas);
    frame_->scratch = llvm::cast<llvm::LoadInst>(context_field(ContextField::Scratch, b_.getPtrTy()));
    frame_->scratch->setName("scratch");
    const auto number = [&](uint64_t v) {
      return llvm::MDNode::get(context(), llvm::ConstantAsMetadata::get(b_.getInt64(v)));
    };
    frame_->scratch->setMetadata(llvm::LLVMContext::MD_align, number(kAlign));
    frame_->scratch->setMetadata(llvm::LLVMContext::MD_nonnull, llvm::MDNode::get(context(), {}));
  }
  auto* place = llvm::GetElementPtrInst::CreateInBounds(b_.getInt8Ty(), frame_->scratch,
                                                        {b_.getInt64(static_cast<uint64_t>(start))}, buffer.name,
                                                        frame_->allocas->getIterator());
  frame_->in_scratch.push_back({place, start, frame_->scratch_end});
  return place;
}

// Tells LLVM that temporaries which exist at the same time are apart: it knows this of memory on the stack, but sees
// one block here.
void KernelEmitter::end_body() {
  std::vector<KernelEmitter::InScratch>& temporaries = frame_->in_scratch;
  if (temporaries.size() < 2) return;
  llvm::MDBuilder metadata(context());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(name_);
  std::unordered_map<const llvm::Value*, size_t> number;
  std::vector<llvm::Metadata*> scopes;
  for (const InScratch& t : temporaries) {
    number.emplace(t.place, scopes.size());
    scopes.push_back(metadata.createAnonymousAliasScope(domain, t.place->getName()));
  }
  const auto apart_from = [&](size_t n) {
    std::vector<llvm::Metadata*> others;
    for (size_t i = 0; i < temporaries.size(); ++i)
      if (temporaries[i].end <= temporaries[n].begin || temporaries[n].end <= temporaries[i].begin)
        others.push_back(scopes[i]);
    return llvm::MDNode::get(context(), others);
  };
  for (llvm::BasicBlock& block : *frame_->function)
    for (llvm::Instruction& i : block) {
      const llvm::Value* address = address_of(i);
      while (const auto* step = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(address)) {
        if (number.contains(step)) break;
        address = step->getPointerOperand();
      }
      const auto found = address ? number.find(address) : number.end();
      if (found == number.end()) continue;
      i.setMetadata(llvm::LLVMContext::MD_alias_scope, llvm::MDNode::get(context(), scopes[found->second]));
      i.setMetadata(llvm::LLVMContext::MD_noalias, apart_from(found->second));
    }
}

}  // namespace sunmao::llvm_codegen
