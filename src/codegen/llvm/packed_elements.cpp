// Elements of less than a byte (abi/packed_elements.h): a load shifts and masks the element's byte, a store reads it,
// changes the element's bits and writes it. Consecutive elements that begin at a byte are loaded and stored as bytes.

#include <algorithm>

#include "codegen/llvm/kernel_emitter.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {

/// The memory of the lanes of a load or store.
struct KernelEmitter::PackedLanes {
  llvm::Value* memory;
  unsigned bits;  // of a lane
  int lanes;
  llvm::Value* first;    // offset of the first of consecutive lanes; null: each lane has its own
  llvm::Value* offsets;  // of each lane; null where `first` is set
};

namespace {

const llvm::Align kLanesAlign(64);

/// An element in memory: the byte where it begins and the one where it ends, and its lowest bit in the first.
struct PackedElement {
  llvm::Value *low, *high;  // `high` is null where no element spans two bytes
  llvm::Value* shift;       // i16
};

PackedElement element_at(Builder& b, llvm::Value* memory, llvm::Value* offset, unsigned bits) {
  llvm::Type* byte = b.getInt8Ty();
  llvm::Value* first = b.CreateMul(offset, b.getInt64(bits), "", true, true);
  PackedElement e{b.CreateGEP(byte, memory, b.CreateLShr(first, 3)), nullptr,
                  b.CreateTrunc(b.CreateAnd(first, 7), b.getInt16Ty())};
  if (8 % bits != 0) e.high = b.CreateGEP(byte, memory, b.CreateLShr(b.CreateAdd(first, b.getInt64(bits - 1)), 3));
  return e;
}

llvm::Value* load_element(Builder& b, const PackedElement& e, unsigned bits) {
  llvm::Type *byte = b.getInt8Ty(), *word = b.getInt16Ty();
  llvm::Value* held = b.CreateZExt(b.CreateLoad(byte, e.low), word);
  if (e.high) held = b.CreateOr(held, b.CreateShl(b.CreateZExt(b.CreateLoad(byte, e.high), word), 8));
  return b.CreateTrunc(b.CreateAnd(b.CreateLShr(held, e.shift), (1u << bits) - 1), byte);
}

// Replaces the bits of `*byte` that are set in `bits` by those of `value`. Threads of a parallel loop may store
// elements that share a byte, so that there each bit is changed by an atomic operation, which leaves those of others
// alone.
void replace_bits(Builder& b, llvm::Value* byte, llvm::Value* bits, llvm::Value* value, bool is_shared) {
  if (!is_shared) {
    llvm::Value* kept = b.CreateAnd(b.CreateLoad(b.getInt8Ty(), byte), b.CreateNot(bits));
    b.CreateStore(b.CreateOr(kept, value), byte);
    return;
  }
  const auto order = llvm::AtomicOrdering::Monotonic;
  b.CreateAtomicRMW(llvm::AtomicRMWInst::And, byte, b.CreateNot(bits), llvm::Align(1), order);
  b.CreateAtomicRMW(llvm::AtomicRMWInst::Or, byte, value, llvm::Align(1), order);
}

void store_element(Builder& b, const PackedElement& e, unsigned bits, llvm::Value* code, bool is_shared) {
  llvm::Type *byte = b.getInt8Ty(), *word = b.getInt16Ty();
  llvm::Value* mask = b.CreateShl(b.getInt16(static_cast<uint16_t>((1u << bits) - 1)), e.shift);
  llvm::Value* value = b.CreateAnd(b.CreateShl(b.CreateZExt(code, word), e.shift), mask);
  replace_bits(b, e.low, b.CreateTrunc(mask, byte), b.CreateTrunc(value, byte), is_shared);
  if (!e.high) return;
  replace_bits(b, e.high, b.CreateTrunc(b.CreateLShr(mask, 8), byte), b.CreateTrunc(b.CreateLShr(value, 8), byte),
               is_shared);
}

// Returns the elements of two vectors by turns.
llvm::Value* interleaved(Builder& b, llvm::Value* even, llvm::Value* odd) {
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(even->getType())->getNumElements());
  std::vector<int> order;
  for (int i = 0; i < lanes; ++i) {
    order.push_back(i);
    order.push_back(lanes + i);
  }
  return b.CreateShuffleVector(even, odd, order);
}

// Returns the codes of all elements in a vector of bytes.
llvm::Value* unpacked(Builder& b, llvm::Value* bytes, unsigned bits) {
  std::vector<llvm::Value*> parts;  // codes at the same place in all bytes
  for (unsigned shift = 0; shift < 8; shift += bits)
    parts.push_back(b.CreateAnd(b.CreateLShr(bytes, shift), (1u << bits) - 1));
  for (size_t half = parts.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) parts[i] = interleaved(b, parts[i], parts[i + half]);
  return parts[0];
}

// The inverse of `unpacked`; bits of the codes beyond `bits` are 0.
llvm::Value* packed(Builder& b, llvm::Value* codes, unsigned bits) {
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(codes->getType())->getNumElements());
  const int held = static_cast<int>(8 / bits);
  llvm::Value* bytes = nullptr;
  for (int place = 0; place < held; ++place) {
    std::vector<int> chosen;
    for (int lane = place; lane < lanes; lane += held) chosen.push_back(lane);
    llvm::Value* part = b.CreateShl(b.CreateShuffleVector(codes, chosen), static_cast<uint64_t>(place) * bits);
    bytes = bytes ? b.CreateOr(bytes, part) : part;
  }
  return bytes;
}

llvm::FixedVectorType* bytes_of_lanes(Builder& b, int lanes) {
  return llvm::FixedVectorType::get(b.getInt8Ty(), static_cast<unsigned>(lanes));
}

}  // namespace

llvm::Value* KernelEmitter::lane_memory(llvm::Type* type, int lanes) {
  llvm::AllocaInst*& memory = frame_->lane_memory[{type, lanes}];
  if (!memory)
    memory = new llvm::AllocaInst(llvm::ArrayType::get(type, static_cast<uint64_t>(lanes)), 0, nullptr, kLanesAlign,
                                  "lanes", frame_->allocas);
  return memory;
}

void KernelEmitter::for_each_lane(int lanes, const std::function<void(llvm::Value*)>& body) {
  llvm::Type* bits_type = b_.getIntNTy(static_cast<unsigned>(lanes));
  llvm::Value* active = frame_->mask ? b_.CreateBitCast(frame_->mask, bits_type) : nullptr;
  emit_serial_loop(b_.getInt64(static_cast<uint64_t>(lanes)), "lane", [&](llvm::Value* lane) {
    if (!active) return body(lane);
    llvm::BasicBlock *some = make_block("active"), *join = make_block("join");
    llvm::Value* bit = b_.CreateLShr(active, b_.CreateZExtOrTrunc(lane, bits_type));
    b_.CreateCondBr(b_.CreateTrunc(bit, b_.getInt1Ty()), some, join);
    b_.SetInsertPoint(some);
    body(lane);
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
  });
}

KernelEmitter::PackedLanes KernelEmitter::packed_lanes(const Ref<Buffer>& buffer, std::span<const Scalar> indices,
                                                       int lanes) {
  PackedLanes at{pointer_of(buffer), buffer->dtype.bits, lanes, nullptr, nullptr};
  const bool is_vector = !indices.empty() && indices.back()->dtype.lanes > 1;
  llvm::Value* first = is_vector ? contiguous_offset(buffer, indices) : element_offset(buffer, indices);
  const int own = buffer->dtype.lanes;  // lanes of one element of the buffer
  if (own > 1 && is_vector && (!first || frame_->mask))
    fail("E1002", buffer->span,
         fmt::format("code generation: vectors of `{}` elements are loaded and stored as one run only",
                     buffer->dtype.str()),
         "use a buffer whose elements are no vectors");
  if (first)
    at.first = own > 1 ? b_.CreateMul(first, b_.getInt64(static_cast<uint64_t>(own))) : first;
  else
    at.offsets = element_offset(buffer, indices);
  return at;
}

llvm::Value* KernelEmitter::lane_offset(const PackedLanes& at, llvm::Value* offsets, llvm::Value* lane) {
  if (at.first) return b_.CreateAdd(at.first, lane);
  return b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), offsets, lane));
}

llvm::Value* KernelEmitter::stored_offsets(const PackedLanes& at) {
  if (at.first) return nullptr;
  llvm::Value* memory = lane_memory(b_.getInt64Ty(), at.lanes);
  b_.CreateAlignedStore(at.offsets, memory, kLanesAlign);
  return memory;
}

llvm::Value* KernelEmitter::fills_bytes(const PackedLanes& at) {
  if (!at.first || frame_->mask || 8 % at.bits != 0 || static_cast<unsigned>(at.lanes) * at.bits % 8 != 0)
    return nullptr;
  return b_.CreateICmpEQ(b_.CreateAnd(at.first, 8 / at.bits - 1), b_.getInt64(0));
}

llvm::Value* KernelEmitter::load_packed_lanes(const PackedLanes& at) {
  const auto load_each = [&] {
    llvm::Value *offsets = stored_offsets(at), *codes = lane_memory(b_.getInt8Ty(), at.lanes);
    llvm::FixedVectorType* type = bytes_of_lanes(b_, at.lanes);
    if (frame_->mask) b_.CreateAlignedStore(llvm::Constant::getNullValue(type), codes, kLanesAlign);
    for_each_lane(at.lanes, [&](llvm::Value* lane) {
      llvm::Value* code = load_element(b_, element_at(b_, at.memory, lane_offset(at, offsets, lane), at.bits), at.bits);
      b_.CreateStore(code, b_.CreateInBoundsGEP(b_.getInt8Ty(), codes, lane));
    });
    return b_.CreateAlignedLoad(type, codes, kLanesAlign);
  };
  llvm::Value* is_whole = fills_bytes(at);
  if (!is_whole) return load_each();
  llvm::BasicBlock *whole = make_block("bytes"), *each = make_block("elements"), *join = make_block("join");
  b_.CreateCondBr(is_whole, whole, each);
  b_.SetInsertPoint(whole);
  llvm::Type* bytes = bytes_of_lanes(b_, at.lanes * static_cast<int>(at.bits) / 8);
  llvm::Value* place = b_.CreateGEP(b_.getInt8Ty(), at.memory, b_.CreateUDiv(at.first, b_.getInt64(8 / at.bits)));
  llvm::Value* at_once = unpacked(b_, b_.CreateAlignedLoad(bytes, place, llvm::Align(1)), at.bits);
  b_.CreateBr(join);
  b_.SetInsertPoint(each);
  llvm::Value* one_by_one = load_each();
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* codes = b_.CreatePHI(at_once->getType(), 2);
  codes->addIncoming(at_once, whole);
  codes->addIncoming(one_by_one, end);
  return codes;
}

void KernelEmitter::store_packed_lanes(const PackedLanes& at, llvm::Value* codes) {
  const auto store_each = [&] {
    llvm::Value *offsets = stored_offsets(at), *memory = lane_memory(b_.getInt8Ty(), at.lanes);
    b_.CreateAlignedStore(codes, memory, kLanesAlign);
    for_each_lane(at.lanes, [&](llvm::Value* lane) {
      llvm::Value* code = b_.CreateLoad(b_.getInt8Ty(), b_.CreateInBoundsGEP(b_.getInt8Ty(), memory, lane));
      store_element(b_, element_at(b_, at.memory, lane_offset(at, offsets, lane), at.bits), at.bits, code,
                    is_shared(at.memory));
    });
  };
  llvm::Value* is_whole = fills_bytes(at);
  if (!is_whole) return store_each();
  llvm::BasicBlock *whole = make_block("bytes"), *each = make_block("elements"), *join = make_block("join");
  b_.CreateCondBr(is_whole, whole, each);
  b_.SetInsertPoint(whole);
  llvm::Value* place = b_.CreateGEP(b_.getInt8Ty(), at.memory, b_.CreateUDiv(at.first, b_.getInt64(8 / at.bits)));
  b_.CreateAlignedStore(packed(b_, codes, at.bits), place, llvm::Align(1));
  b_.CreateBr(join);
  b_.SetInsertPoint(each);
  store_each();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

bool KernelEmitter::is_shared(llvm::Value* memory) const {
  return frame_->is_task && !llvm::isa<llvm::AllocaInst>(memory) &&
         std::ranges::find(frame_->in_scratch, memory, &InScratch::place) == frame_->in_scratch.end();
}

llvm::Value* KernelEmitter::load_packed(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  llvm::Value* outer = std::exchange(frame_->mask, nullptr);
  const PackedLanes at = packed_lanes(buffer, indices, buffer->dtype.lanes);
  llvm::Value* code =
      at.lanes > 1 ? load_packed_lanes(at) : load_element(b_, element_at(b_, at.memory, at.first, at.bits), at.bits);
  frame_->mask = outer;
  return code;
}

void KernelEmitter::store_packed(const Ref<Buffer>& buffer, std::span<const Scalar> indices, llvm::Value* codes) {
  llvm::Value* outer = std::exchange(frame_->mask, nullptr);
  const PackedLanes at = packed_lanes(buffer, indices, buffer->dtype.lanes);
  if (at.lanes > 1)
    store_packed_lanes(at, codes);
  else
    store_element(b_, element_at(b_, at.memory, at.first, at.bits), at.bits, codes, is_shared(at.memory));
  frame_->mask = outer;
}

llvm::Value* KernelEmitter::load_packed_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, int lanes) {
  return load_packed_lanes(packed_lanes(buffer, indices, lanes));
}

void KernelEmitter::store_packed_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices,
                                        llvm::Value* codes) {
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(codes->getType())->getNumElements());
  store_packed_lanes(packed_lanes(buffer, indices, lanes), codes);
}

}  // namespace sunmao::llvm_codegen
