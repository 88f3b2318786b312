// Buffers: addresses of elements, and loads and stores of scalars and vectors, with masks.

#include <algorithm>

#include "codegen/llvm/kernel_emitter.h"
#include "codegen/llvm/lane_places.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

const Ramp* unit_ramp(const Scalar& s) {
  const auto* ramp = find<Ramp>(s);
  const int64_t* stride = ramp ? find_int(ramp->stride) : nullptr;
  return stride && *stride == 1 ? ramp : nullptr;
}

/// True when a product is added to what the place held.
bool adds_product(const BufferStore& store) {
  const auto* sum = find<Binary>(store.value);
  if (!sum || sum->op != BinaryOp::Add || !sum->dtype.is_float()) return false;
  const auto* before = find<BufferLoad>(sum->a);
  const auto* product = find<Binary>(sum->b);
  return before && before->buffer == store.buffer && product && product->op == BinaryOp::Mul;
}

bool is_vector(std::span<const Scalar> indices) { return !indices.empty() && indices.back()->dtype.lanes > 1; }

/// Returns a scalar in all lanes where the other operand has some.
llvm::Value* in_lanes_of(Builder& b, const llvm::Value* other, llvm::Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(other->getType());
  return vector && !value->getType()->isVectorTy() ? b.CreateVectorSplat(vector->getNumElements(), value) : value;
}

}  // namespace

void KernelEmitter::declare(const Ref<Buffer>& buffer, llvm::Value* pointer) {
  frame_->buffers[buffer.get()] = pointer;
  if (buffer->data) frame_->values[buffer->data.get()] = pointer;
}

llvm::Value* KernelEmitter::pointer_of(const Ref<Buffer>& buffer) const {
  auto it = frame_->buffers.find(buffer.get());
  SUNMAO_CHECK(it != frame_->buffers.end(), "kernel `{}`: buffer `{}` is used where it does not exist", name_,
               buffer->name);
  return it->second;
}

llvm::Value* KernelEmitter::emit_index(const Scalar& s) {
  llvm::Value* v = emit(s, Wrap::Index);
  llvm::Type* wide = with_lanes_of(b_.getInt64Ty(), v->getType());
  return s->dtype.is_int() ? b_.CreateSExtOrTrunc(v, wide) : b_.CreateZExtOrTrunc(v, wide);
}

// Constants are looked for in sums alone, in which indices are written. A sum of 64-bit numbers may be taken apart:
// what a buffer has is far from where it would wrap.
KernelEmitter::Offset KernelEmitter::split_index(const Scalar& s) {
  if (s->dtype.lanes != 1 || !s->dtype.is_int()) return {emit_index(s), 0};
  if (const int64_t* value = find_int(s)) return {nullptr, *value};
  const auto* sum = find<Binary>(s);
  if (sum && sum->op == BinaryOp::Add) {
    const Offset a = split_index(sum->a), b = split_index(sum->b);
    if (!a.variable || !b.variable) return {a.variable ? a.variable : b.variable, a.constant + b.constant};
    return {b_.CreateAdd(a.variable, b.variable, "", false, true), a.constant + b.constant};
  }
  if (const int64_t* less = sum && sum->op == BinaryOp::Sub ? find_int(sum->b) : nullptr) {
    const Offset a = split_index(sum->a);
    return {a.variable, a.constant - *less};
  }
  return {emit_index(s), 0};
}

KernelEmitter::Offset KernelEmitter::split_offset(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  SUNMAO_CHECK(indices.size() == buffer->shape.size(), "`{}` has rank {}", buffer->name, buffer->shape.size());
  const auto add = [&](llvm::Value* x, llvm::Value* y) -> llvm::Value* {
    if (!x || !y) return x ? x : y;
    return b_.CreateAdd(in_lanes_of(b_, y, x), in_lanes_of(b_, x, y), "", false, true);
  };
  const auto times = [&](const Offset& o, const Scalar& factor) -> Offset {
    Offset out;
    const int64_t* number = find_int(factor);
    const bool stays_apart = number && !__builtin_mul_overflow(o.constant, *number, &out.constant);
    llvm::Value* value = o.variable;
    if (!stays_apart) {
      out.constant = 0;
      if (o.constant != 0 || !value) value = add(value, b_.getInt64(static_cast<uint64_t>(o.constant)));
    }
    if (value) out.variable = b_.CreateMul(value, in_lanes_of(b_, value, emit_index(factor)), "", false, true);
    return out;
  };
  const auto plus = [&](const Offset& x, const Offset& y) {
    return Offset{add(x.variable, y.variable), x.constant + y.constant};
  };
  Offset out = buffer->elem_offset ? split_index(buffer->elem_offset) : Offset();
  Offset dense;
  for (size_t d = 0; d < indices.size(); ++d) {
    const Offset index = split_index(indices[d]);
    if (!buffer->is_dense())
      out = plus(out, times(index, buffer->strides[d]));
    else
      dense = d == 0 ? index : plus(times(dense, buffer->shape[d]), index);
  }
  return plus(out, dense);
}

// Returns a vector if the last index is one.
llvm::Value* KernelEmitter::element_offset(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  const Offset offset = split_offset(buffer, indices);
  llvm::Value* constant = b_.getInt64(static_cast<uint64_t>(offset.constant));
  if (!offset.variable) return constant;
  if (offset.constant == 0) return offset.variable;
  return b_.CreateAdd(offset.variable, in_lanes_of(b_, offset.variable, constant), "", false, true);
}

// The variable part alone may point outside of the buffer.
llvm::Value* KernelEmitter::place_of(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  llvm::Type* type = memory_type(context(), buffer->dtype);
  const Offset offset = split_offset(buffer, indices);
  llvm::Value *pointer = pointer_of(buffer), *constant = b_.getInt64(static_cast<uint64_t>(offset.constant));
  if (!offset.variable) return b_.CreateInBoundsGEP(type, pointer, constant);
  if (offset.constant == 0) return b_.CreateInBoundsGEP(type, pointer, offset.variable);
  return b_.CreateGEP(type, b_.CreateGEP(type, pointer, offset.variable), constant);
}

std::optional<std::vector<Scalar>> KernelEmitter::first_of_contiguous(const Buffer& buffer,
                                                                      std::span<const Scalar> indices) {
  const Ramp* ramp = unit_ramp(indices.back());
  const int64_t* stride = buffer.is_dense() ? nullptr : find_int(buffer.strides.back());
  if (!ramp || !(buffer.is_dense() || (stride && *stride == 1))) return std::nullopt;
  std::vector<Scalar> first(indices.begin(), indices.end());
  first.back() = ramp->base;
  return first;
}

llvm::Value* KernelEmitter::contiguous_offset(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  const std::optional<std::vector<Scalar>> first = first_of_contiguous(*buffer, indices);
  return first ? element_offset(buffer, *first) : nullptr;
}

void KernelEmitter::emit_prefetch(const BufferLoad& load) {
  llvm::Value* place = b_.CreateGEP(memory_type(context(), load.buffer->dtype), pointer_of(load.buffer),
                                    element_offset(load.buffer, load.indices));
  constexpr unsigned kRead = 0, kKeep = 3, kData = 1;
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                     {place, b_.getInt32(kRead), b_.getInt32(kKeep), b_.getInt32(kData)});
}

llvm::Value* KernelEmitter::contiguous_pointer(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  const std::optional<std::vector<Scalar>> first = first_of_contiguous(*buffer, indices);
  return first ? place_of(buffer, *first) : nullptr;
}

llvm::Value* KernelEmitter::lane_pointers(const Ref<Buffer>& buffer, std::span<const Scalar> indices, int lanes) {
  llvm::Value* offset = element_offset(buffer, indices);
  SUNMAO_CHECK(offset->getType()->isVectorTy() &&
               llvm::cast<llvm::FixedVectorType>(offset->getType())->getNumElements() == static_cast<unsigned>(lanes));
  return b_.CreateGEP(memory_type(context(), buffer->dtype), pointer_of(buffer), offset);
}

llvm::Value* KernelEmitter::full_or_current_mask(int lanes) {
  if (frame_->mask) return frame_->mask;
  return llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b_.getInt1Ty(), static_cast<unsigned>(lanes)));
}

llvm::Value* KernelEmitter::narrowed_mask(const Scalar& predicate) {
  if (!predicate) return frame_->mask;
  llvm::Value* lanes = emit(predicate);
  return frame_->mask ? b_.CreateAnd(frame_->mask, lanes) : lanes;
}

llvm::Value* KernelEmitter::load_near_lanes(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
  const std::optional<LanePlaces> places = find_lane_places(indices.back());
  const auto* mask = frame_->mask ? llvm::dyn_cast<llvm::Constant>(frame_->mask) : nullptr;
  if (!places || !buffer->is_dense() || buffer->dtype.lanes != 1 || (frame_->mask && !mask)) return nullptr;
  std::vector<int64_t> offsets = places->offsets, read;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const llvm::Constant* is_active = mask ? mask->getAggregateElement(static_cast<unsigned>(i)) : nullptr;
    if (mask && (!is_active || !llvm::isa<llvm::ConstantInt>(is_active))) return nullptr;
    if (!mask || is_active->isOneValue()) read.push_back(offsets[i]);
  }
  const auto lanes = static_cast<int64_t>(offsets.size());
  if (read.empty()) return nullptr;
  const auto [least, most] = std::ranges::minmax(read);
  if (most - least >= 2 * lanes) return nullptr;
  const int64_t start = least >= 0 && most < lanes ? 0 : least, width = most - start < lanes ? lanes : 2 * lanes;
  std::vector<Scalar> first(indices.begin(), indices.end());
  first.back() = places->base;
  llvm::Type* element = memory_type(context(), buffer->dtype);
  const llvm::Align align(static_cast<uint64_t>(element_bytes(buffer->dtype)));
  llvm::Value* place = b_.CreateGEP(element, pointer_of(buffer), element_offset(buffer, first));
  place = b_.CreateGEP(element, place, b_.getInt64(static_cast<uint64_t>(least == most ? least : start)));
  if (least == most)
    return b_.CreateVectorSplat(static_cast<unsigned>(lanes), b_.CreateAlignedLoad(element, place, align));
  if (const int64_t reach = most - least + 1; !mask && reach > lanes) {
    // Two vectors from the first to the last element, which overlap.
    auto* half = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
    llvm::Value* last = b_.CreateGEP(element, place, b_.getInt64(static_cast<uint64_t>(reach - lanes)));
    std::vector<int> from;
    for (int64_t offset : offsets) {
      const int64_t further = offset - least;
      from.push_back(static_cast<int>(further < lanes ? further : further - (reach - lanes) + lanes));
    }
    return b_.CreateShuffleVector(b_.CreateAlignedLoad(half, place, align), b_.CreateAlignedLoad(half, last, align),
                                  from);
  }
  std::vector<llvm::Constant*> loaded(static_cast<size_t>(width), b_.getFalse());
  for (int64_t offset : read) loaded[static_cast<size_t>(offset - start)] = b_.getTrue();
  std::vector<int> chosen;
  for (int64_t offset : offsets) {
    const bool is_loaded = std::ranges::find(read, offset) != read.end();
    chosen.push_back(static_cast<int>((is_loaded ? offset : least) - start));
  }
  auto* wide = llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
  llvm::Value* all =
      b_.CreateMaskedLoad(wide, place, align, llvm::ConstantVector::get(loaded), llvm::Constant::getNullValue(wide));
  return b_.CreateShuffleVector(all, chosen);
}

llvm::Value* KernelEmitter::load_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, DType dtype) {
  if (dtype.is_packed()) return load_packed_vector(buffer, indices, dtype.lanes);
  llvm::Type* type = memory_type(context(), dtype);
  const llvm::Align align(static_cast<uint64_t>(element_bytes(dtype)));
  llvm::Value* zero = llvm::Constant::getNullValue(type);
  if (llvm::Value* first = contiguous_pointer(buffer, indices)) {
    if (!frame_->mask) return b_.CreateAlignedLoad(type, first, align);
    return b_.CreateMaskedLoad(type, first, align, frame_->mask, zero);
  }
  if (llvm::Value* near = load_near_lanes(buffer, indices)) return near;
  if (llvm::Value* chosen = load_from_table(buffer, indices)) return chosen;
  return b_.CreateMaskedGather(type, lane_pointers(buffer, indices, dtype.lanes), align,
                               full_or_current_mask(dtype.lanes), zero);
}

llvm::Value* KernelEmitter::emit_load(const BufferLoad& load) {
  const DType stored = load.buffer->dtype;
  if (is_vector(load.indices)) {
    llvm::Value* outer = std::exchange(frame_->mask, narrowed_mask(load.predicate));
    llvm::Value* loaded = load_vector(load.buffer, load.indices, load.dtype);
    frame_->mask = outer;
    return from_memory(b_, loaded, load.dtype);
  }
  llvm::Type* type = memory_type(context(), stored, load.span);
  if (stored.is_packed()) return from_memory(b_, load_packed(load.buffer, load.indices), stored);
  llvm::Value* place = place_of(load.buffer, load.indices);
  return from_memory(b_, b_.CreateAlignedLoad(type, place, llvm::Align(static_cast<uint64_t>(element_bytes(stored)))),
                     stored);
}

void KernelEmitter::store_vector(const Ref<Buffer>& buffer, std::span<const Scalar> indices, llvm::Value* value) {
  if (buffer->dtype.is_packed()) return store_packed_vector(buffer, indices, value);
  const llvm::Align align(static_cast<uint64_t>(element_bytes(buffer->dtype)));
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements());
  if (llvm::Value* first = contiguous_pointer(buffer, indices)) {
    if (frame_->mask)
      b_.CreateMaskedStore(value, first, align, frame_->mask);
    else
      b_.CreateAlignedStore(value, first, align);
    return;
  }
  b_.CreateMaskedScatter(value, lane_pointers(buffer, indices, lanes), align, full_or_current_mask(lanes));
}

void KernelEmitter::emit_store(const BufferStore& store) {
  const DType stored = store.buffer->dtype;
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  if (adds_product(store)) may_contract(true);
  // What is cast to the dtype in memory is rounded once.
  const auto* cast = find<Cast>(store.value);
  const bool is_rounded_once = cast && stored.code == TypeCode::BFloat && cast->dtype.element() == stored &&
                               cast->value->dtype.element() == DType::float_(32);
  const auto for_memory = [&](llvm::Value* v, DType dtype) {
    return stored.code == TypeCode::BFloat && is_bfloat(store.value) ? bfloat_to_memory(b_, v)
                                                                     : round_to_memory(v, dtype);
  };
  llvm::Value* value = emit(is_rounded_once ? cast->value : store.value);
  if (is_vector(store.indices)) {
    const int lanes = store.indices.back()->dtype.lanes;
    if (!value->getType()->isVectorTy()) value = b_.CreateVectorSplat(static_cast<unsigned>(lanes), value);
    llvm::Value* outer = std::exchange(frame_->mask, narrowed_mask(store.predicate));
    store_vector(store.buffer, store.indices, for_memory(value, stored.with_lanes(lanes)));
    frame_->mask = outer;
    return;
  }
  memory_type(context(), stored, store.span);  // or an error with the place
  if (stored.is_packed()) return store_packed(store.buffer, store.indices, to_memory(b_, value, stored));
  llvm::Value* place = place_of(store.buffer, store.indices);
  b_.CreateAlignedStore(for_memory(value, stored), place, llvm::Align(static_cast<uint64_t>(element_bytes(stored))));
}

}  // namespace sunmao::llvm_codegen
