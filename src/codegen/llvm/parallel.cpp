// Functions: the entry and body of a kernel, and parallel loops as tasks for the host's threads.

#include <algorithm>

#include "codegen/llvm/kernel_emitter.h"
#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

// sunmao_context (abi/kernel.h)
llvm::StructType* context_type(llvm::LLVMContext& c) {
  llvm::Type *word = llvm::Type::getInt32Ty(c), *ptr = llvm::PointerType::getUnqual(c);
  return llvm::StructType::get(c, {word, word, ptr, ptr, ptr, ptr, ptr, word, ptr});
}

/// Collects the symbols and buffers that statements use, in order of first occurrence.
class UseCollector final : public StmtVisitor {
 public:
  std::vector<Ref<SymVar>> vars;
  std::vector<Ref<Buffer>> buffers;

  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) use(store->buffer);
    if (const auto* decl = find<DeclBuffer>(s)) use_var(decl->buffer->data);
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* load = find<BufferLoad>(node)) use(load->buffer);
      use_var(find_ref<SymVar>(node));
    });
  }

 private:
  void use_var(const Ref<SymVar>& v) {
    if (v && std::ranges::find(vars, v) == vars.end()) vars.push_back(v);
  }
  void use(const Ref<Buffer>& b) {
    if (std::ranges::find(buffers, b) != buffers.end()) return;
    buffers.push_back(b);
    for (const Scalar& s : b->shape) visit_scalar(s);
    for (const Scalar& s : b->strides) visit_scalar(s);
    if (b->elem_offset) visit_scalar(b->elem_offset);
  }
};

/// Finds out whether short integers stand for numbers, or numbers are rounded to them.
class QuantisingCasts final : public StmtVisitor {
 public:
  bool found = false;
  void visit_scalar(const Scalar& value) override {
    constexpr int kShort = 16;  // bits
    const auto is_short = [](DType t) { return (t.is_int() || t.is_uint()) && t.bits <= kShort; };
    visit_all(value, [&](const Scalar& s) {
      const auto* cast = find<Cast>(s);
      found =
          found || (cast && (is_short(cast->value->dtype) || (cast->value->dtype.is_float() && is_short(cast->dtype))));
    });
  }
};

}  // namespace

void set_target_attributes(llvm::Function& function, const Target& target) {
  std::string features;
  for (const std::string& f : target.isa.features) features += (features.empty() ? "+" : ",+") + f;
  const std::string width = std::to_string(target.isa.vector_bits);
  function.addFnAttr("target-cpu", target.isa.cpu);
  function.addFnAttr("target-features", features);
  // Without both attributes, LLVM limits vectors to 256 bits on many CPUs and spills register tiles.
  function.addFnAttr("prefer-vector-width", width);
  function.addFnAttr("min-legal-vector-width", width);
  function.addFnAttr("no-builtins");
  function.addFnAttr("frame-pointer", "none");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

KernelEmitter::KernelEmitter(ModuleState& state, std::string name, const Ref<PrimFunc>& func)
    : state_(state), name_(std::move(name)), func_(func), b_(state.module.getContext()) {
  QuantisingCasts casts;
  casts.visit(func->body);
  may_contract(!casts.found);
}

void KernelEmitter::may_contract(bool may) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(may);  // products and sums to FMA, no reassociation
  b_.setFastMathFlags(flags);
}

llvm::Function* KernelEmitter::make_function(const std::string& name, llvm::ArrayRef<llvm::Type*> params) {
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), params, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, state_.module);
  function->setDSOLocal(true);
  set_target_attributes(*function, state_.target);
  return function;
}

void KernelEmitter::begin_body(Frame& frame, llvm::Function* function) {
  frame.function = function;
  frame_ = &frame;
  auto* entry = llvm::BasicBlock::Create(context(), "entry", function);
  auto* body = llvm::BasicBlock::Create(context(), "body", function);
  b_.SetInsertPoint(entry);
  frame.allocas = b_.CreateBr(body);
  b_.SetInsertPoint(body);
}

// The entry unpacks the arguments; the body takes `noalias` pointers, which LLVM needs for optimization. The entry
// stands before all other code of the kernel: tools take what is behind it as its code.
llvm::Function* KernelEmitter::emit() {
  llvm::Type* ptr = b_.getPtrTy();
  llvm::Function* entry = make_function(name_, {ptr, ptr, ptr});
  llvm::Function* body = emit_body();
  entry->setLinkage(llvm::Function::ExternalLinkage);
  entry->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context(), "entry", entry));
  std::vector<llvm::Value*> args;
  const size_t buffers = func_->buffers().size();
  for (size_t i = 0; i < buffers; ++i)
    args.push_back(b_.CreateLoad(ptr, b_.CreateConstInBoundsGEP1_64(ptr, entry->getArg(0), i)));
  const std::vector<Ref<SymVar>> dims = func_->dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    llvm::Value* dim =
        b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), entry->getArg(1), i));
    args.push_back(emit_cast(b_, dim, DType::int_(64), dims[i]->dtype));
  }
  args.push_back(entry->getArg(2));
  b_.CreateRet(b_.CreateCall(body, args));
  return entry;
}

llvm::Function* KernelEmitter::emit_body() {
  const std::vector<Ref<Buffer>> buffers = func_->buffers();
  const std::vector<Ref<SymVar>> dims = func_->dims();
  std::vector<llvm::Type*> params(buffers.size(), b_.getPtrTy());
  for (const Ref<SymVar>& dim : dims) params.push_back(register_type(context(), dim->dtype, dim->span));
  params.push_back(b_.getPtrTy());
  llvm::Function* body = make_function(name_ + ".body", params);
  body->addFnAttr(llvm::Attribute::NoInline);
  Frame frame;
  begin_body(frame, body);
  for (size_t i = 0; i < buffers.size(); ++i) {
    body->addParamAttr(static_cast<unsigned>(i), llvm::Attribute::NoAlias);
    body->getArg(static_cast<unsigned>(i))->setName(buffers[i]->name);
    declare(buffers[i], body->getArg(static_cast<unsigned>(i)));
  }
  for (size_t i = 0; i < dims.size(); ++i)
    frame.values[dims[i].get()] = body->getArg(static_cast<unsigned>(buffers.size() + i));
  frame.context = body->getArg(static_cast<unsigned>(params.size() - 1));
  emit_stmt(func_->body);
  b_.CreateRet(b_.getInt32(0));
  end_body();
  frame_ = nullptr;
  return body;
}

KernelEmitter::Captures KernelEmitter::captures_of(const For& loop) const {
  UseCollector uses;
  uses.visit_scalar(loop.min);
  uses.visit(loop.body);
  std::erase_if(uses.vars, [&](const Ref<SymVar>& v) { return !frame_->values.contains(v.get()); });
  std::erase_if(uses.buffers, [&](const Ref<Buffer>& b) { return !frame_->buffers.contains(b.get()); });
  return {std::move(uses.vars), std::move(uses.buffers)};
}

llvm::Value* KernelEmitter::context_field(ContextField field, llvm::Type* type) {
  llvm::Value* place = b_.CreateStructGEP(context_type(context()), frame_->context, static_cast<unsigned>(field));
  return b_.CreateLoad(type, place);
}

void KernelEmitter::emit_parallel(const For& loop, const Scalar& condition) {
  llvm::Value* count = b_.CreateSExtOrTrunc(emit(loop.extent, Wrap::Index), b_.getInt64Ty());
  const Captures captures = captures_of(loop);
  std::vector<llvm::Value*> values;
  std::vector<llvm::Type*> types;
  for (const Ref<Buffer>& b : captures.buffers) values.push_back(pointer_of(b));
  for (const Ref<SymVar>& v : captures.vars) values.push_back(value_of(*v));
  for (llvm::Value* v : values) types.push_back(v->getType());
  llvm::StructType* type = llvm::StructType::get(context(), types);
  auto* closure = new llvm::AllocaInst(type, 0, "closure", frame_->allocas);
  for (unsigned i = 0; i < values.size(); ++i) b_.CreateStore(values[i], b_.CreateStructGEP(type, closure, i));
  llvm::Value* wanted = condition ? emit(condition, Wrap::Index) : b_.getTrue();
  const bool is_nested = frame_->is_task;

  const llvm::IRBuilderBase::InsertPoint here = b_.saveIP();
  Frame* outer = frame_;
  llvm::Function* thunk = emit_thunk(emit_task(loop, captures), type);
  frame_ = outer;
  b_.restoreIP(here);

  if (is_nested) return call_in_place(thunk, closure, count);
  llvm::BasicBlock *threads = make_block("threads"), *place = make_block("in.place"), *join = make_block("join");
  llvm::Value* has_threads = b_.CreateICmpUGT(context_field(ContextField::NumThreads, b_.getInt32Ty()), b_.getInt32(1));
  has_threads = b_.CreateAnd(has_threads, b_.CreateICmpSGT(count, b_.getInt64(1)));
  b_.CreateCondBr(b_.CreateAnd(wanted, has_threads), threads, place);
  b_.SetInsertPoint(threads);
  call_on_threads(thunk, closure, count);
  b_.CreateBr(join);
  b_.SetInsertPoint(place);
  call_in_place(thunk, closure, count);
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

void KernelEmitter::return_if_failed(llvm::Value* status) {
  llvm::BasicBlock *failed = make_block("failed"), *good = make_block("good");
  b_.CreateCondBr(b_.CreateICmpNE(status, b_.getInt32(0)), failed, good);
  b_.SetInsertPoint(failed);
  b_.CreateRet(status);
  b_.SetInsertPoint(good);
}

void KernelEmitter::call_on_threads(llvm::Function* thunk, llvm::Value* closure, llvm::Value* count) {
  llvm::Type* ptr = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {ptr, ptr, ptr, b_.getInt64Ty()}, false);
  return_if_failed(
      b_.CreateCall(type, context_field(ContextField::ParallelRanges, ptr), {frame_->context, thunk, closure, count}));
}

void KernelEmitter::call_in_place(llvm::Function* thunk, llvm::Value* closure, llvm::Value* count) {
  return_if_failed(b_.CreateCall(thunk, {closure, b_.getInt64(0), count, frame_->context}));
}

llvm::Function* KernelEmitter::emit_task(const For& loop, const Captures& captures) {
  const Frame& outer = *frame_;
  std::vector<llvm::Type*> params(captures.buffers.size(), b_.getPtrTy());
  for (const Ref<SymVar>& v : captures.vars) params.push_back(outer.values.at(v.get())->getType());
  params.push_back(b_.getInt64Ty());
  params.push_back(b_.getPtrTy());
  llvm::Function* task = make_function(name_ + ".task" + std::to_string(tasks_++), params);
  task->addFnAttr(llvm::Attribute::NoInline);
  Frame frame;
  frame.is_task = true;
  frame.scratch_end = outer.scratch_end;  // the thread that runs the kernel runs tasks, too
  begin_body(frame, task);
  unsigned next = 0;
  for (const Ref<Buffer>& b : captures.buffers) {
    task->addParamAttr(next, llvm::Attribute::NoAlias);
    task->getArg(next)->setName(b->name);
    declare(b, task->getArg(next++));
  }
  for (const Ref<SymVar>& v : captures.vars)
    if (llvm::Value*& value = frame.values[v.get()]; !value)
      value = task->getArg(next++);
    else
      ++next;
  llvm::Value* index = task->getArg(next++);
  frame.context = task->getArg(next);
  llvm::Type* type = register_type(context(), loop.var->dtype, loop.span);
  llvm::Value* start = emit(loop.min, Wrap::Index);
  frame.values[loop.var.get()] =
      b_.CreateAdd(b_.CreateSExtOrTrunc(start, type), b_.CreateSExtOrTrunc(index, type), loop.var->name, false, true);
  emit_stmt(loop.body);
  b_.CreateRet(b_.getInt32(0));
  end_body();
  return task;
}

// The thunk is a sunmao_range_body.
llvm::Function* KernelEmitter::emit_thunk(llvm::Function* task, llvm::StructType* closure) {
  llvm::Type *ptr = b_.getPtrTy(), *wide = b_.getInt64Ty();
  llvm::Function* thunk = make_function(task->getName().str() + ".thunk", {ptr, wide, wide, ptr});
  Frame frame;
  begin_body(frame, thunk);
  std::vector<llvm::Value*> args;
  for (unsigned i = 0; i < closure->getNumElements(); ++i)
    args.push_back(b_.CreateLoad(closure->getElementType(i), b_.CreateStructGEP(closure, thunk->getArg(0), i)));
  llvm::Value* begin = thunk->getArg(1);
  args.push_back(nullptr);
  args.push_back(thunk->getArg(3));
  emit_serial_loop(b_.CreateSub(thunk->getArg(2), begin), "step", [&](llvm::Value* i) {
    args[closure->getNumElements()] = b_.CreateAdd(begin, i, "", false, true);
    return_if_failed(b_.CreateCall(task, args));
  });
  b_.CreateRet(b_.getInt32(0));
  return thunk;
}

}  // namespace sunmao::llvm_codegen
