// Intrinsic calls of the loop IR, all as inline instructions without library calls.
#include <llvm/IR/Intrinsics.h>

#include <array>

#include "codegen/llvm/kernel_emitter.h"
#include "codegen/llvm/remainder.h"
#include "codegen/llvm/scaled.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

bool is_float_call(const ScalarCall& call, size_t count) {
  return call.args.size() == count && call.dtype.is_float() &&
         std::ranges::all_of(call.args, [&](const Scalar& a) { return a->dtype == call.dtype; });
}

using llvm::Intrinsic::ID;
ID find_unary(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, ID>, 8> kKnown{{{"sqrt", llvm::Intrinsic::sqrt},
                                                                          {"fabs", llvm::Intrinsic::fabs},
                                                                          {"abs", llvm::Intrinsic::fabs},
                                                                          {"floor", llvm::Intrinsic::floor},
                                                                          {"ceil", llvm::Intrinsic::ceil},
                                                                          {"trunc", llvm::Intrinsic::trunc},
                                                                          {"round", llvm::Intrinsic::nearbyint},
                                                                          {"nearbyint", llvm::Intrinsic::nearbyint}}};
  for (const auto& [known, id] : kKnown)
    if (name == known) return id;
  return llvm::Intrinsic::not_intrinsic;
}

}  // namespace

llvm::Value* KernelEmitter::emit_call(const ScalarCall& call) {
  const std::string& name = call.name;
  if (is_index_check(call)) return emit_index_check(call);
  if (const std::optional<Shuffle> shuffle = find_shuffle(call)) return emit_shuffle(*shuffle);
  if (const std::optional<ByteDots> dots = find_byte_dots(call)) return emit_byte_dots(*dots);
  if (const std::optional<ShortDots> dots = find_short_dots(call)) return emit_short_dots(*dots);
  if (const std::optional<PairDots> dots = find_pair_dots(call)) return emit_pair_dots(*dots);
  if (call.dtype.is_float())
    if (llvm::Value* known = emit_float_call(call)) return known;
  if ((name == "max" || name == "min") && call.args.size() == 2) {
    llvm::Value* x = emit(call.args[0]);
    return emit_binary(b_, name == "max" ? BinaryOp::Max : BinaryOp::Min, x, emit(call.args[1]), call.dtype,
                       Wrap::Data);
  }
  if (name == "likely" && call.args.size() == 1) return emit(call.args[0]);
  if (name == "any_lane" && call.args.size() == 1 && call.args[0]->dtype.is_bool()) {
    llvm::Value* lanes = emit(call.args[0]);
    return lanes->getType()->isVectorTy() ? b_.CreateOrReduce(lanes) : lanes;
  }
  if (name == "reinterpret" && call.args.size() == 1)
    if (llvm::Value* bits = emit_reinterpret(call)) return bits;
  if (call.dtype.is_integral())
    if (llvm::Value* known = emit_integer_call(call)) return known;
  fail(
      "E1004", call.span,
      fmt::format("code generation: kernel `{}` calls intrinsic `{}` on {}, which has no code", name_, name,
                  call.dtype.str()),
      "elementary functions, roundings, tests of floats, operations on bits, max, min, fma and if_then_else have code");
}

// Emits an intrinsic of floats that is an instruction, or fmod; null for other calls.
llvm::Value* KernelEmitter::emit_float_call(const ScalarCall& call) {
  const std::string& name = call.name;
  const ID unary = find_unary(name);
  if (is_float_call(call, 1) && unary != llvm::Intrinsic::not_intrinsic)
    return b_.CreateUnaryIntrinsic(unary, kept_wide(b_, emit(call.args[0]), call.dtype));
  if (is_float_call(call, 2) && (name == "copysign" || name == "scalb" || name == "fmod")) {
    llvm::Value *x = emit(call.args[0]), *y = emit(call.args[1]);
    if (name == "copysign") return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, y);
    return name == "scalb" ? emit_scaled(b_, x, y, state_.target.isa) : emit_remainder(b_, x, y, state_.target.isa);
  }
  if (is_float_call(call, 3) && name == "fma") {
    llvm::Value *x = emit(call.args[0]), *y = emit(call.args[1]), *z = emit(call.args[2]);
    const ID id =
        state_.target.isa.has(Instruction::FusedMultiplyAdd) ? llvm::Intrinsic::fma : llvm::Intrinsic::fmuladd;
    return b_.CreateIntrinsic(id, {x->getType()}, {x, y, z});
  }
  return nullptr;
}

// Emits an intrinsic of integers; null for other calls.
llvm::Value* KernelEmitter::emit_integer_call(const ScalarCall& call) {
  const std::string& name = call.name;
  if (name == "abs" && call.args.size() == 1) {
    llvm::Value* x = emit(call.args[0]);
    return call.dtype.is_int() ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b_.getFalse()) : x;
  }
  if ((name == "pow" || name == "power") && call.args.size() == 2) {
    llvm::Value* base = emit(call.args[0]);
    return emit_int_power(base, emit(call.args[1]), call.dtype);
  }
  return emit_bits(call);
}

// Emits the same bits as another dtype; null where the two differ in length, or share bytes with others.
llvm::Value* KernelEmitter::emit_reinterpret(const ScalarCall& call) {
  const DType from = call.args[0]->dtype, to = call.dtype;
  const bool fits = from.bits == to.bits && from.lanes == to.lanes && from.bits >= 8;
  if (!fits || from.code == TypeCode::Handle || to.code == TypeCode::Handle) return nullptr;
  const auto* cast = find<Cast>(call.args[0]);
  const bool is_rounded = cast && from.code == TypeCode::BFloat && cast->value->dtype.element() == DType::float_(32);
  llvm::Value* stored = is_bfloat(call.args[0]) ? bfloat_to_memory(b_, emit(call.args[0]))
                                                : round_to_memory(emit(is_rounded ? cast->value : call.args[0]), from);
  return from_memory(b_, b_.CreateBitCast(stored, memory_type(context(), to, call.span)), to);
}

// Emits a shuffle as one of LLVM's where that takes its vectors, two at most of the same length, else lane by lane.
llvm::Value* KernelEmitter::emit_shuffle(const Shuffle& shuffle) {
  std::vector<llvm::Value*> vectors, elements;
  for (const Scalar& v : shuffle.vectors) vectors.push_back(emit(v));
  llvm::Type* first = vectors[0]->getType();
  const auto count = static_cast<unsigned>(shuffle.lanes.size());
  if (count > 1 && first->isVectorTy() && vectors.size() <= 2 && vectors.back()->getType() == first)
    return b_.CreateShuffleVector(vectors[0], vectors.back(),
                                  llvm::SmallVector<int>(shuffle.lanes.begin(), shuffle.lanes.end()));
  for (size_t i = 0; i < vectors.size(); ++i)
    for (int lane = 0; lane < shuffle.vectors[i]->dtype.lanes; ++lane)
      elements.push_back(vectors[i]->getType()->isVectorTy()
                             ? b_.CreateExtractElement(vectors[i], static_cast<uint64_t>(lane))
                             : vectors[i]);
  if (count == 1) return elements[static_cast<size_t>(shuffle.lanes[0])];
  llvm::Value* out = llvm::PoisonValue::get(llvm::FixedVectorType::get(first->getScalarType(), count));
  for (unsigned i = 0; i < count; ++i)
    out = b_.CreateInsertElement(out, elements[static_cast<size_t>(shuffle.lanes[i])], i);
  return out;
}

// Power by repeated squaring, one exponent bit per iteration. A power with a negative exponent is 0, unless the base
// is 1 or -1.
llvm::Value* KernelEmitter::emit_int_power(llvm::Value* base, llvm::Value* exponent, DType dtype) {
  llvm::Type* type = base->getType();
  llvm::Value *zero = llvm::Constant::getNullValue(type), *one = llvm::ConstantInt::get(type, 1);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = make_block("power"), *end = make_block("power_end");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode *count = b_.CreatePHI(b_.getInt32Ty(), 2), *result = b_.CreatePHI(type, 2);
  llvm::PHINode *square = b_.CreatePHI(type, 2), *rest = b_.CreatePHI(type, 2);
  llvm::Value* is_odd = b_.CreateICmpNE(b_.CreateAnd(rest, one), zero);
  llvm::Value* next_result = b_.CreateSelect(is_odd, b_.CreateMul(result, square), result);
  llvm::Value* next_square = b_.CreateMul(square, square);
  llvm::Value* next_rest =  // a 1-bit value cannot be shifted
      type->getScalarSizeInBits() == 1 ? zero : b_.CreateLShr(rest, one);
  llvm::Value* next_count = b_.CreateAdd(count, b_.getInt32(1));
  const std::pair<llvm::PHINode*, std::pair<llvm::Value*, llvm::Value*>> phis[] = {
      {count, {b_.getInt32(0), next_count}},
      {result, {one, next_result}},
      {square, {base, next_square}},
      {rest, {exponent, next_rest}}};
  for (const auto& [phi, values] : phis) {
    phi->addIncoming(values.first, before);
    phi->addIncoming(values.second, loop);
  }
  b_.CreateCondBr(b_.CreateICmpULT(next_count, b_.getInt32(type->getScalarSizeInBits())), loop, end);
  b_.SetInsertPoint(end);
  if (!dtype.is_int()) return next_result;
  llvm::Value* minus_one = llvm::Constant::getAllOnesValue(type);
  llvm::Value* is_unit = b_.CreateOr(b_.CreateICmpEQ(base, one), b_.CreateICmpEQ(base, minus_one));
  // 1 and -1 are their own inverses, so their negative powers depend only on the parity of the exponent.
  llvm::Value* parity = b_.CreateICmpNE(b_.CreateAnd(exponent, one), zero);
  llvm::Value* inverse = b_.CreateSelect(is_unit, b_.CreateSelect(parity, base, one), zero);
  return b_.CreateSelect(b_.CreateICmpSLT(exponent, zero), inverse, next_result);
}

// Emits bitwise operations. Shifts by at least the width give 0, or the sign for arithmetic right shifts.
llvm::Value* KernelEmitter::emit_bits(const ScalarCall& call) {
  const std::string& name = call.name;
  if (name == "bitwise_not" && call.args.size() == 1) return b_.CreateNot(emit(call.args[0]));
  static constexpr std::array<const char*, 5> kNames{"bitwise_and", "bitwise_or", "bitwise_xor", "shift_left",
                                                     "shift_right"};
  if (call.args.size() != 2 || std::ranges::find(kNames, name) == kNames.end()) return nullptr;
  llvm::Value *x = emit(call.args[0]), *y = emit(call.args[1]);
  if (name == "bitwise_and") return b_.CreateAnd(x, y);
  if (name == "bitwise_or") return b_.CreateOr(x, y);
  if (name == "bitwise_xor") return b_.CreateXor(x, y);
  const unsigned bits = x->getType()->getScalarSizeInBits();
  llvm::Value* width = llvm::ConstantInt::get(x->getType(), bits);
  llvm::Value* is_inside = b_.CreateICmpULT(y, width);
  llvm::Value* zero = llvm::Constant::getNullValue(x->getType());
  llvm::Value* last = llvm::ConstantInt::get(x->getType(), bits - 1u);
  if (name == "shift_right" && call.dtype.is_int()) return b_.CreateAShr(x, b_.CreateSelect(is_inside, y, last));
  llvm::Value* by = b_.CreateSelect(is_inside, y, zero);
  return b_.CreateSelect(is_inside, name == "shift_left" ? b_.CreateShl(x, by) : b_.CreateLShr(x, by), zero);
}

}  // namespace sunmao::llvm_codegen
