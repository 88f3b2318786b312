// Dot products of bytes and of 16-bit numbers: bytes by one instruction where a target has it, else by exact products
// of 16-bit numbers. Nothing saturates.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <numeric>

#include "codegen/llvm/kernel_emitter.h"

namespace sunmao::llvm_codegen {
namespace {

using llvm::Intrinsic::ID;
constexpr ID kNone = llvm::Intrinsic::not_intrinsic;
constexpr int kSumBits = 32;
constexpr uint32_t kSignBits = 0x80808080u;  // of four bytes

/// Bytes in words of 32 bits.
struct Bytes {
  llvm::Value* words;
  bool is_signed;
};

/// Adds to each 32-bit sum the products of four unsigned and four signed bytes.
ID dot_of(const Isa& isa, int lanes) {
  if (!isa.has(Instruction::DotBytes, lanes * kSumBits)) return kNone;
  return lanes == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
         : lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                      : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
}

/// Adds the products of two neighbouring signed 16-bit numbers.
ID pairs_of(const Isa& isa, int lanes) {
  if (!isa.has(Instruction::AddPairs, lanes * kSumBits)) return kNone;
  return lanes == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
         : lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                      : llvm::Intrinsic::x86_sse2_pmadd_wd;
}

/// Where both operands are of one kind, 128 is taken from the bytes of one: a ^ 0x80 is a + 128 as an unsigned byte, or
/// a - 128 as a signed one. What that changes is taken off the sum, which wraps around.
llvm::Value* with_dot(Builder& b, ID id, const Bytes& x, const Bytes& y, llvm::Value* sum) {
  const auto dot = [&](llvm::Value* to, llvm::Value* u, llvm::Value* s) {
    return b.CreateIntrinsic(id, {}, {to, u, s});
  };
  if (x.is_signed != y.is_signed) return x.is_signed ? dot(sum, y.words, x.words) : dot(sum, x.words, y.words);
  llvm::Value* sign = llvm::ConstantInt::get(sum->getType(), kSignBits);
  llvm::Value* zero = llvm::Constant::getNullValue(sum->getType());
  if (x.is_signed) return b.CreateSub(dot(sum, b.CreateXor(y.words, sign), x.words), dot(zero, sign, x.words));
  return b.CreateSub(dot(sum, x.words, b.CreateXor(y.words, sign)), dot(zero, x.words, sign));
}

/// Every second byte as 16-bit numbers, of which the products of two pairs fit 32 bits.
llvm::Value* with_pairs(Builder& b, ID id, const Bytes& x, const Bytes& y, llvm::Value* sum) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(sum->getType())->getNumElements();
  auto* halves = llvm::FixedVectorType::get(b.getInt16Ty(), 2 * lanes);
  const auto every_second = [&](const Bytes& bytes, bool first) -> llvm::Value* {
    llvm::Value* words = b.CreateBitCast(bytes.words, halves);
    if (first && !bytes.is_signed) return b.CreateAnd(words, llvm::ConstantInt::get(halves, 0xff));
    if (first) words = b.CreateShl(words, 8);
    return bytes.is_signed ? b.CreateAShr(words, 8) : b.CreateLShr(words, 8);
  };
  for (const bool first : {true, false})
    sum = b.CreateAdd(sum, b.CreateIntrinsic(id, {}, {every_second(x, first), every_second(y, first)}));
  return sum;
}

/// Returns the lanes from `first` on.
llvm::Value* lanes_from(Builder& b, llvm::Value* vector, int first, int count) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), first);
  return b.CreateShuffleVector(vector, order);
}

/// Repeats a vector of 16-bit numbers until it has so many lanes.
llvm::Value* repeated(Builder& b, llvm::Value* vector, int lanes) {
  auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  const unsigned given = type->getNumElements(), times = static_cast<unsigned>(lanes) / given;
  if (times == 1) return vector;
  llvm::Value* word = b.CreateBitCast(vector, b.getIntNTy(given * type->getScalarSizeInBits()));
  return b.CreateBitCast(b.CreateVectorSplat(times, word),
                         llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(lanes)));
}

/// Products of neighbouring lanes, added.
llvm::Value* sums_of_two(Builder& b, llvm::Value* x, llvm::Value* y, llvm::Type* sums) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  auto* wide = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  llvm::Value* products = b.CreateMul(b.CreateSExt(x, wide), b.CreateSExt(y, wide));
  std::vector<int> even, odd;
  for (int i = 0; i < static_cast<int>(lanes); i += kShortsOfDot) {
    even.push_back(i);
    odd.push_back(i + 1);
  }
  llvm::Value* sum = b.CreateAdd(b.CreateShuffleVector(products, even), b.CreateShuffleVector(products, odd));
  return sums->isVectorTy() ? sum : b.CreateExtractElement(sum, uint64_t{0});
}

/// The sums of a vector that one register holds; 0 where a target has no instruction for as many.
int sums_at_once(const Isa& isa, int lanes) {
  for (int bits = isa.vector_bits; bits >= 128; bits /= 2)
    if (const int of_register = bits / kSumBits; lanes % of_register == 0 && pairs_of(isa, of_register) != kNone)
      return of_register;
  return 0;
}

llvm::Value* one_by_one(Builder& b, const Bytes& x, const Bytes& y, llvm::Value* sum) {
  const auto byte = [&](const Bytes& bytes, unsigned i) {
    llvm::Value* high = b.CreateShl(bytes.words, 8 * (3 - i));
    return bytes.is_signed ? b.CreateAShr(high, 24) : b.CreateLShr(high, 24);
  };
  for (unsigned i = 0; i < kBytesOfDot; ++i) sum = b.CreateAdd(sum, b.CreateMul(byte(x, i), byte(y, i)));
  return sum;
}

}  // namespace

llvm::Value* KernelEmitter::emit_byte_dots(const ByteDots& dots) {
  llvm::Value* sum = emit(dots.sum);
  const int lanes = dots.sum->dtype.lanes;
  const auto bytes = [&](const Scalar& x) -> Bytes {
    llvm::Value* v = emit(x);
    if (x->dtype.lanes == kBytesOfDot * lanes) return {b_.CreateBitCast(v, sum->getType()), x->dtype.is_int()};
    llvm::Value* word = b_.CreateBitCast(v, b_.getInt32Ty());
    return {b_.CreateVectorSplat(static_cast<unsigned>(lanes), word), x->dtype.is_int()};
  };
  const Bytes x = bytes(dots.a), y = bytes(dots.b);
  if (const ID id = dot_of(state_.target.isa, lanes)) return with_dot(b_, id, x, y, sum);
  if (const ID id = pairs_of(state_.target.isa, lanes)) return with_pairs(b_, id, x, y, sum);
  return one_by_one(b_, x, y, sum);
}

llvm::Value* KernelEmitter::emit_short_dots(const ShortDots& dots) {
  llvm::Value *a = emit(dots.a), *b = emit(dots.b), *sum = emit(dots.sum);
  const int lanes = dots.sum->dtype.lanes;
  int at_once = sums_at_once(state_.target.isa, lanes);
  for (const Scalar& x : {dots.a, dots.b}) {
    const int given = x->dtype.lanes, wanted = kShortsOfDot * at_once;
    if (at_once > 0 && wanted % given != 0 && given % wanted != 0) at_once = 0;
  }
  const auto of_all = [&](llvm::Value* x) { return repeated(b_, x, kShortsOfDot * lanes); };
  if (at_once == 0) return b_.CreateAdd(sum, sums_of_two(b_, of_all(a), of_all(b), sum->getType()));
  const auto part = [&](llvm::Value* x, int first) {
    const int given = static_cast<int>(llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements());
    const int wanted = kShortsOfDot * at_once;
    if (given <= wanted) return repeated(b_, x, wanted);
    return lanes_from(b_, x, kShortsOfDot * first % given, wanted);
  };
  std::vector<llvm::Value*> sums;
  for (int first = 0; first < lanes; first += at_once) {
    llvm::Value* before = lanes == at_once ? sum : lanes_from(b_, sum, first, at_once);
    sums.push_back(b_.CreateAdd(
        before, b_.CreateIntrinsic(pairs_of(state_.target.isa, at_once), {}, {part(a, first), part(b, first)})));
  }
  return llvm::concatenateVectors(b_, sums);
}

}  // namespace sunmao::llvm_codegen
