// Masks of lanes: comparisons of places at known distances, such as the columns of a vector with the end of a row.
#include <algorithm>

#include "codegen/llvm/kernel_emitter.h"
#include "codegen/llvm/lane_places.h"
#include "sym/walk.h"

namespace sunmao::llvm_codegen {
namespace {

/// True for what is computed of loop variables and sizes, which does not wrap; numbers in memory may be any.
bool is_index(const Scalar& s) {
  bool is = !find<ExternScalar>(s) && !find<ScalarCall>(s);
  for_each_child(s, [&](const Scalar& child) { is = is && is_index(child); });
  return is;
}

}  // namespace

llvm::Value* KernelEmitter::emit_lane_comparison(const Binary& n) {
  constexpr int kWidest = 32, kNarrowest = 8;
  if (!is_comparison(n.op) || n.a->dtype.bits < kWidest) return nullptr;
  const std::optional<LanePlaces> a = find_lane_places(n.a), b = find_lane_places(n.b);
  if (!a || !b || !is_index(a->base) || !is_index(b->base)) return nullptr;
  const size_t lanes = a->offsets.size();
  std::vector<int64_t> offsets(lanes);
  for (size_t i = 0; i < lanes; ++i)
    if (__builtin_sub_overflow(a->offsets[i], b->offsets[i], &offsets[i])) return nullptr;
  // As wide as elements of which a register holds so many, if the offsets are not near the ends of such numbers.
  int bits = kWidest;
  while (bits > kNarrowest && bits * static_cast<int>(lanes) > state_.target.isa.vector_bits) bits /= 2;
  const auto fits = [&](int64_t offset) {
    const int64_t end = int64_t{1} << (bits - 2);
    return -end < offset && offset < end;
  };
  while (bits < kWidest && !std::ranges::all_of(offsets, fits)) bits *= 2;
  if (!std::ranges::all_of(offsets, fits)) return nullptr;
  const DType wide = n.a->dtype.element();
  llvm::Type* type = register_type(context(), wide);
  const auto number = [&](int64_t value) { return llvm::ConstantInt::getSigned(type, value); };
  llvm::Value* distance =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, emit(b->base, Wrap::Index), emit(a->base, Wrap::Index));
  if (bits < wide.bits) {
    const int64_t least = -(int64_t{1} << (bits - 1));
    distance = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, distance, number(least));
    distance = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, distance, number(-(least + 1)));
  }
  const DType narrow = DType::int_(bits);
  distance = b_.CreateTrunc(distance, register_type(context(), narrow));
  std::vector<llvm::Constant*> constants;
  for (int64_t offset : offsets)
    constants.push_back(llvm::ConstantInt::getSigned(register_type(context(), narrow), offset));
  return emit_binary(b_, n.op, llvm::ConstantVector::get(constants),
                     b_.CreateVectorSplat(static_cast<unsigned>(lanes), distance),
                     narrow.with_lanes(static_cast<int>(lanes)), Wrap::Index);
}

}  // namespace sunmao::llvm_codegen
