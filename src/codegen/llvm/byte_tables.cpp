// Loads from tables of 256 bytes at places that are bytes themselves: sixteen picks of the lower four bits, of which
// the upper four bits choose.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <array>

#include "codegen/llvm/kernel_emitter.h"

namespace sunmao::llvm_codegen {
namespace {

constexpr unsigned kPicked = 16, kParts = 16;  // places that one instruction tells apart, and such parts of a table

llvm::Intrinsic::ID pick_of(unsigned width) {
  return width == 64   ? llvm::Intrinsic::x86_avx512_pshuf_b_512
         : width == 32 ? llvm::Intrinsic::x86_avx2_pshuf_b
                       : llvm::Intrinsic::x86_ssse3_pshuf_b_128;
}

/// Returns what the bytes of one vector choose of a table.
llvm::Value* picked(Builder& b, llvm::Value* table, llvm::Value* places) {
  auto* type = llvm::cast<llvm::FixedVectorType>(places->getType());
  const unsigned width = type->getNumElements();
  auto* part = llvm::FixedVectorType::get(b.getInt8Ty(), kPicked);
  std::vector<int> repeated;
  for (unsigned i = 0; i < width; ++i) repeated.push_back(static_cast<int>(i % kPicked));
  llvm::Value* low = b.CreateAnd(places, llvm::ConstantInt::get(type, kPicked - 1));
  std::vector<llvm::Value*> found;
  for (unsigned i = 0; i < kParts; ++i) {
    llvm::Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), table, uint64_t{kPicked} * i);
    llvm::Value* entries = b.CreateShuffleVector(b.CreateAlignedLoad(part, at, llvm::Align(1)), repeated);
    found.push_back(b.CreateIntrinsic(pick_of(width), {}, {entries, low}));
  }
  // Bits 4 to 7 decide in this order; each is the sign bit once it is moved there, by additions.
  std::array<llvm::Value*, 4> moved{nullptr, nullptr, nullptr, places};
  for (size_t i = moved.size() - 1; i-- > 0;) moved[i] = b.CreateAdd(moved[i + 1], moved[i + 1]);
  for (llvm::Value* bit : moved) {
    llvm::Value* is_set = b.CreateICmpSLT(bit, llvm::Constant::getNullValue(type));
    std::vector<llvm::Value*> half;
    for (size_t i = 0; i < found.size(); i += 2) half.push_back(b.CreateSelect(is_set, found[i + 1], found[i]));
    found = std::move(half);
  }
  return found[0];
}

}  // namespace

llvm::Value* KernelEmitter::load_from_table(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  constexpr int64_t kEntries = int64_t{kParts} * kPicked;
  const int64_t* size = buffer->rank() == 1 ? find_int(buffer->shape[0]) : nullptr;
  if (!size || *size != kEntries || buffer->dtype.bits != 8 || buffer->dtype.is_float() || !buffer->is_dense() ||
      buffer->elem_offset)
    return nullptr;
  const auto* widened = find<Cast>(indices[0]);
  if (!widened || widened->value->dtype.with_lanes(1) != DType::uint(8)) return nullptr;
  const auto lanes = static_cast<unsigned>(widened->value->dtype.lanes);
  unsigned width = 64;
  while (width >= kPicked &&
         (lanes % width != 0 || !state_.target.isa.has(Instruction::PickBytes, 8 * static_cast<int>(width))))
    width /= 2;
  if (width < kPicked) return nullptr;
  llvm::Value *table = pointer_of(buffer), *places = emit(widened->value);
  std::vector<llvm::Value*> parts;
  for (unsigned first = 0; first < lanes; first += width) {
    std::vector<int> some;
    for (unsigned i = 0; i < width; ++i) some.push_back(static_cast<int>(first + i));
    parts.push_back(picked(b_, table, lanes == width ? places : b_.CreateShuffleVector(places, some)));
  }
  return parts.size() == 1 ? parts[0] : llvm::concatenateVectors(b_, parts);
}

}  // namespace sunmao::llvm_codegen
