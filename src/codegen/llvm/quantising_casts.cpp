// Casts to integers of what is rounded and clamped, as `quantize` does: one instruction rounds and converts.
#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <optional>

#include "codegen/llvm/arithmetic.h"
#include "codegen/llvm/kernel_emitter.h"

namespace sunmao::llvm_codegen {
namespace {

/// `min(max(round(value) + zero, low), high)`, the bounds in either order; `zero` is null where nothing is added.
struct Quantised {
  Scalar value, zero;
  double low, high;
};

const Scalar& same_in_all_lanes(const Scalar& s) {
  const auto* repeated = find<Broadcast>(s);
  return repeated ? repeated->value : s;
}

const double* find_number(const Scalar& s) {
  const auto* number = find<FloatImm>(same_in_all_lanes(s));
  return number ? &number->value : nullptr;
}

/// Returns the integer that a float32 is made of, which float32 holds as it is with others as near; null if there is
/// none.
Scalar whole_number_of(const Scalar& s) {
  constexpr int kBits = 16;
  const Scalar& one = same_in_all_lanes(s);
  if (const double* number = find_number(s))
    return *number == std::floor(*number) && std::abs(*number) < std::ldexp(1, kBits)
               ? Scalar(IntImm::make(DType::int_(32), static_cast<int64_t>(*number)))
               : nullptr;
  const auto* cast = find<Cast>(one);
  return cast && cast->value->dtype.is_integral() && cast->value->dtype.bits <= kBits ? cast->value : nullptr;
}

/// Returns what is rounded; null for other expressions.
Scalar find_rounded(const Scalar& s) {
  const auto* call = find<ScalarCall>(s);
  return call && call->name == "round" && call->args.size() == 1 ? call->args[0] : nullptr;
}

std::optional<Quantised> find_quantised(const Scalar& s) {
  const auto* outer = find<Binary>(s);
  const auto* inner = outer ? find<Binary>(outer->a) : nullptr;
  if (!inner) return std::nullopt;
  const bool is_high_first = outer->op == BinaryOp::Max && inner->op == BinaryOp::Min;
  if (!is_high_first && !(outer->op == BinaryOp::Min && inner->op == BinaryOp::Max)) return std::nullopt;
  const double *last = find_number(outer->b), *first = find_number(inner->b);
  if (!last || !first) return std::nullopt;
  Quantised out{.value = find_rounded(inner->a),
                .zero = nullptr,
                .low = is_high_first ? *last : *first,
                .high = is_high_first ? *first : *last};
  if (out.value) return out;
  const auto* sum = find<Binary>(inner->a);
  if (!sum || sum->op != BinaryOp::Add) return std::nullopt;
  out.value = find_rounded(sum->a);
  out.zero = whole_number_of(sum->b);
  return out.value && out.zero ? std::optional(out) : std::nullopt;
}

}  // namespace

llvm::Value* KernelEmitter::emit_quantised(const Cast& cast) {
  constexpr double kLimit = 0x1p23;  // float32 holds such a number less another of 16 bits
  const std::optional<Quantised> parts = find_quantised(cast.value);
  if (!parts || cast.value->dtype.element() != DType::float_(32) || !cast.dtype.is_integral() || cast.dtype.is_bool() ||
      !(parts->low >= -kLimit) || !(parts->high <= kLimit) || parts->low > parts->high)
    return nullptr;
  for (double bound : {parts->low, parts->high})
    if (bound != std::floor(bound)) return nullptr;
  const DType word = DType::int_(32), real = DType::float_(32), words = word.with_lanes(cast.value->dtype.all_lanes());
  const auto in_lanes = [&](llvm::Value* value) {
    const bool is_spread = words.is_vector() && !value->getType()->isVectorTy();
    return is_spread ? b_.CreateVectorSplat(static_cast<unsigned>(words.lanes), value) : value;
  };
  // Bounds are integers, and so is what is added: rounding comes after them as well as before.
  llvm::Value *value = emit(parts->value), *zero = parts->zero ? emit(parts->zero) : nullptr;
  const auto bound = [&](double number) {
    llvm::Value* limit = llvm::ConstantFP::get(register_type(context(), real), number);
    if (!zero) return in_lanes(limit);
    llvm::Value* shift = in_lanes(emit_cast(b_, zero, parts->zero->dtype, real.with_lanes(parts->zero->dtype.lanes)));
    return b_.CreateFSub(in_lanes(limit), shift);
  };
  llvm::Value *low = bound(parts->low), *high = bound(parts->high);
  llvm::Value* clamped = b_.CreateSelect(b_.CreateFCmpOLT(high, value), high, value);
  clamped = b_.CreateSelect(b_.CreateFCmpOGT(clamped, low), clamped, low);  // for NaN, `low`
  llvm::Type* type = register_type(context(), words);
  llvm::Value* converted = b_.CreateIntrinsic(llvm::Intrinsic::lrint, {type, clamped->getType()}, {clamped});
  if (zero)
    converted = b_.CreateAdd(
        converted, in_lanes(emit_cast(b_, zero, parts->zero->dtype, word.with_lanes(parts->zero->dtype.lanes))));
  if (parts->low != 0)
    converted =
        b_.CreateSelect(b_.CreateFCmpORD(value, value), converted, llvm::Constant::getNullValue(converted->getType()));
  return emit_cast(b_, converted, words, cast.dtype);
}

}  // namespace sunmao::llvm_codegen
