// Translation of scalar expressions to LLVM values.
#include <llvm/IR/MDBuilder.h>

#include "codegen/llvm/kernel_emitter.h"
#include "codegen/llvm/small_floats.h"
#include "support/diagnostic.h"
#include "sym/walk.h"

namespace sunmao::llvm_codegen {
namespace {

bool has_load(const Scalar& s) {
  bool found = find<ExternScalar>(s) != nullptr;
  for_each_child(s, [&](const Scalar& child) { found = found || has_load(child); });
  return found;
}

bool is_half_to_float(const Cast& cast) {
  const DType from = cast.value->dtype;
  return from.code == TypeCode::Float && from.bits == 16 && cast.dtype.is_float() && cast.dtype.bits >= 32;
}

/// Returns loaded float16 in a register, widened by integer operations where the target has no instruction for it.
/// Other loads stay extensions, which those to float16 undo: such a copy needs no conversion.
llvm::Value* widened_half(Builder& b, llvm::Value* value, const Isa& isa) {
  constexpr int kRegisterBits = 128;
  const auto* extended = llvm::dyn_cast<llvm::FPExtInst>(value);
  const auto* halves = extended ? llvm::dyn_cast<llvm::BitCastInst>(extended->getOperand(0)) : nullptr;
  if (!halves || isa.has(Instruction::WidenHalves, kRegisterBits)) return value;
  return float_of_halves(b, halves->getOperand(0));
}

}  // namespace

llvm::Value* KernelEmitter::value_of(const SymVar& var) const {
  auto it = frame_->values.find(&var);
  SUNMAO_CHECK(it != frame_->values.end(), "kernel `{}`: `{}` is used where it does not exist", name_, var.name);
  return it->second;
}

llvm::Value* KernelEmitter::emit(const Scalar& s, Wrap wrap) {
  if (s->dtype.is_scalable)
    fail("E1002", s->span, fmt::format("code generation: vectors of type `{}` have no known length", s->dtype.str()),
         "write a number of lanes in place of `T.vscale()`");
  switch (s->kind) {
    case ScalarKind::IntImm: {
      const int64_t value = find<IntImm>(s)->value;
      return llvm::ConstantInt::get(register_type(context(), s->dtype, s->span),
                                    s->dtype.is_bool() ? value != 0 : static_cast<uint64_t>(value), s->dtype.is_int());
    }
    case ScalarKind::FloatImm:
      return rounded(b_, llvm::ConstantFP::get(register_type(context(), s->dtype, s->span), find<FloatImm>(s)->value),
                     s->dtype);
    case ScalarKind::SymVar: return value_of(*find<SymVar>(s));
    case ScalarKind::Binary: {
      const auto& n = *find<Binary>(s);
      if (llvm::Value* mask = emit_lane_comparison(n)) return mask;
      llvm::Value* x = emit(n.a, wrap);
      return emit_binary(b_, n.op, x, emit(n.b, wrap), n.a->dtype, wrap);
    }
    case ScalarKind::Not: return emit_not(b_, emit(find<Not>(s)->a, wrap), find<Not>(s)->a->dtype);
    case ScalarKind::Cast: {
      const auto& n = *find<Cast>(s);
      if (llvm::Value* quantised = emit_quantised(n)) return quantised;
      llvm::Value* value = emit(n.value, wrap);
      if (n.dtype.code == TypeCode::BFloat && n.value->dtype.element() == DType::float_(32))
        return from_memory(b_, round_to_memory(value, n.dtype), n.dtype);
      return emit_cast(b_, is_half_to_float(n) ? widened_half(b_, value, state_.target.isa) : value, n.value->dtype,
                       n.dtype);
    }
    case ScalarKind::Select: {
      const auto& n = *find<Select>(s);
      llvm::Value* condition = emit(n.condition);
      llvm::Value* yes = emit(n.then_value, wrap);
      return b_.CreateSelect(condition, yes, emit(n.else_value, wrap));
    }
    case ScalarKind::Ramp: {
      const auto& n = *find<Ramp>(s);
      const auto lanes = static_cast<unsigned>(n.dtype.lanes);
      llvm::Type* type = register_type(context(), n.dtype);
      std::vector<llvm::Constant*> steps;
      for (unsigned i = 0; i < lanes; ++i) steps.push_back(llvm::ConstantInt::get(type->getScalarType(), i));
      llvm::Value* stride = b_.CreateVectorSplat(lanes, emit(n.stride, wrap));
      llvm::Value* offsets = b_.CreateMul(stride, llvm::ConstantVector::get(steps), "", false, wrap == Wrap::Index);
      return b_.CreateAdd(b_.CreateVectorSplat(lanes, emit(n.base, wrap)), offsets, "", false, wrap == Wrap::Index);
    }
    case ScalarKind::Broadcast:
      return b_.CreateVectorSplat(static_cast<unsigned>(s->dtype.lanes), emit(find<Broadcast>(s)->value, wrap));
    case ScalarKind::Let: {
      const auto& n = *find<Let>(s);
      frame_->values[n.var.get()] = emit(n.value, wrap);
      return emit(n.body, wrap);
    }
    case ScalarKind::ScalarCall: {
      const auto& call = *find<ScalarCall>(s);
      if (call.name == "if_then_else" && call.args.size() == 3)
        return emit_lazy_choice(call.args[0], call.args[1], call.args[2], wrap);
      return emit_call(call);
    }
    case ScalarKind::Extern: {
      const auto* load = find<BufferLoad>(s);
      SUNMAO_CHECK(load, "a scalar of kind `{}` in a kernel", find<ExternScalar>(s)->head_kind());
      return emit_load(*load);
    }
    case ScalarKind::StringImm: break;
  }
  fail("E1004", s->span, "code generation: a text has no value in a kernel", "pass texts to intrinsics alone");
}

// Emits an if_then_else that reads memory only for the chosen alternative: under masks for a vector condition, else by
// a branch if an alternative loads, or is for lanes that are rare. Other alternatives are both computed.
llvm::Value* KernelEmitter::emit_lazy_choice(const Scalar& condition, const Scalar& yes, const Scalar& no, Wrap wrap) {
  llvm::Value* chosen = emit(condition);
  if (chosen->getType()->isVectorTy()) {
    llvm::Value* outer = frame_->mask;
    auto under = [&](llvm::Value* lanes, const Scalar& side) {
      frame_->mask = outer ? b_.CreateAnd(outer, lanes) : lanes;
      llvm::Value* value = emit(side, wrap);
      frame_->mask = outer;
      return value;
    };
    llvm::Value* then_value = under(chosen, yes);
    return b_.CreateSelect(chosen, then_value, under(b_.CreateNot(chosen), no));
  }
  const auto* test = find<ScalarCall>(condition);
  const bool is_rare = test && test->name == "any_lane";
  if (!is_rare && !has_load(yes) && !has_load(no)) {
    llvm::Value* then_value = emit(yes, wrap);
    return b_.CreateSelect(chosen, then_value, emit(no, wrap));
  }
  llvm::BasicBlock *then_block = make_block("then"), *else_block = make_block("else"), *join = make_block("join");
  llvm::MDNode* weights = is_rare ? llvm::MDBuilder(context()).createBranchWeights(1, 1000) : nullptr;
  b_.CreateCondBr(chosen, then_block, else_block, weights);
  auto side = [&](llvm::BasicBlock* block, const Scalar& value) {
    b_.SetInsertPoint(block);
    llvm::Value* result = emit(value, wrap);
    llvm::BasicBlock* end = b_.GetInsertBlock();
    b_.CreateBr(join);
    return std::pair(result, end);
  };
  auto [then_value, then_end] = side(then_block, yes);
  auto [else_value, else_end] = side(else_block, no);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(then_value->getType(), 2);
  phi->addIncoming(then_value, then_end);
  phi->addIncoming(else_value, else_end);
  return phi;
}

}  // namespace sunmao::llvm_codegen
