#include "codegen/vm/root_registers.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/dims.h"
#include "ir/equal.h"
#include "support/shape_bytes.h"

namespace sunmao {

using abi::Opcode;

abi::ElementType element_type(DType t) { return {static_cast<uint8_t>(t.code), t.bits, t.lanes}; }

// Each tensor in memory of the function gets a slot; the runtime places them when it knows their sizes.
RootRegisters::RootRegisters(const FlatFunction& flat, DimRegisters& dims, abi::ProgramBuilder& builder,
                             NumberOfWeight weight)
    : flat_(flat), dims_(dims), builder_(builder), weight_(std::move(weight)) {
  for (size_t i = 0; i < flat.roots.size(); ++i) {
    const Root& r = flat.roots[i];
    if (r.kind != RootKind::Intermediate || r.result >= 0 || r.is_passed) continue;
    if (r.may_take_source || r.is_elsewhere) continue;
    slot_of_root_[static_cast<int>(i)] = static_cast<uint32_t>(slot_dims_.size());
    slot_dims_.push_back(dims.get(byte_size(*r.type->dims(), r.type->dtype)));
  }
}

void RootRegisters::emit() {
  for (uint32_t slot_dim : slot_dims_) builder_.storage(slot_dim);
  builder_.emit(Opcode::Layout);
  for (const auto& instruction : body_) instruction();
}

std::vector<uint32_t> RootRegisters::at(const std::vector<int>& roots) const {
  std::vector<uint32_t> out;
  for (const int root : roots) out.push_back(at(root));
  return out;
}

void RootRegisters::give(const FlatGift& gift) {
  define(gift.root);
  for (const int other : gift.others) define(other);
  later([this, gift] { builder_.give(at(gift.root), at(gift.others)); });
}

void RootRegisters::define(int number) {
  if (!defined_.insert(number).second) return;
  const Root& root = flat_.roots[static_cast<size_t>(number)];
  if (root.source >= 0) define(source_of(root));
  if (root.may_take_source && root.result < 0) return define_own(number);
  give_memory(number);
  if (root.source >= 0) later([=, this] { builder_.emit(Opcode::Copy, {at(number), at(source_of(root))}); });
}

void RootRegisters::define(const FlatTensor& tensor) {
  define(tensor.root);
  if (!tensor.begin || find_part(tensor)) return;
  std::deque<Part>& parts = parts_[tensor.root][structural_hash(tensor.begin)];
  Part& part = parts.emplace_back(tensor.begin, tensor.type, abi::kNone);
  const TensorType& type = tensor.tensor();
  later([this, &part, root = tensor.root, begin = dims_.get(tensor.begin), type = element_type(type.dtype),
         shape = dims_.get(*type.dims())] { part.reg = builder_.part(at(root), begin, type, shape); });
}

const RootRegisters::Part* RootRegisters::find_part(const FlatTensor& tensor) const {
  const auto of_root = parts_.find(tensor.root);
  if (of_root == parts_.end()) return nullptr;
  const auto parts = of_root->second.find(structural_hash(tensor.begin));
  if (parts == of_root->second.end()) return nullptr;
  const auto part = std::ranges::find_if(parts->second, [&](const Part& p) {
    return structural_equal(p.begin, tensor.begin) && structural_equal(p.type, tensor.type);
  });
  return part == parts->second.end() ? nullptr : &*part;
}

uint32_t RootRegisters::at(const FlatTensor& tensor) const {
  return tensor.begin ? find_part(tensor)->reg : at(tensor.root);
}

FlatTensor RootRegisters::source_of(const Root& root) const {
  const Root& source = flat_.roots[static_cast<size_t>(root.source)];
  return {root.source, root.source_begin ? root.owner : source.owner, root.source_begin};
}

// Defines a root that may take the memory of the one whose contents it has first.
void RootRegisters::define_own(int number) {
  const Root& root = flat_.roots[static_cast<size_t>(number)];
  for (const int other : root.others) define(other);
  later([=, this, source = root.source, others = root.others] { set(number, builder_.own(at(source), at(others))); });
}

void RootRegisters::give_memory(int number) {
  const Root& root = flat_.roots[static_cast<size_t>(number)];
  const abi::ElementType type = element_type(root.type->dtype);
  if (root.kind == RootKind::Param) {
    later([=, this] { set(number, builder_.tensor(Opcode::Param, static_cast<uint32_t>(root.index))); });
  } else if (root.kind == RootKind::Constant) {
    const Array& data = flat_.constants[static_cast<size_t>(root.index)];
    const uint32_t weight =
        weight_({fmt::format("{}.constant.{}", flat_.name, root.index), data.dtype(), data.shape(), data});
    later([=, this] { set(number, builder_.tensor(Opcode::Constant, weight)); });
  } else if (root.kind == RootKind::Sizes) {
    later([=, this, sizes = dims_.get(root.sizes)] { set(number, builder_.values(sizes)); });
  } else if (root.result >= 0) {
    const TensorType& seen = flat_.results[static_cast<size_t>(root.result)].tensor();
    later([=, this, result = static_cast<uint32_t>(root.result), shape = dims_.get(*seen.dims())] {
      set(number, builder_.tensor(Opcode::Result, result, type, shape));
    });
  } else if (root.is_passed) {
    later([=, this, shape = dims_.get(*root.type->dims())] { set(number, builder_.block(type, shape)); });
  } else {
    later([=, this, slot = slot_of_root_.at(number), shape = dims_.get(*root.type->dims())] {
      set(number, builder_.tensor(Opcode::Slot, slot, type, shape));
    });
  }
}

void RootRegisters::copy_result(size_t result) {
  const FlatTensor& t = flat_.results[result];
  define(t);
  if (!t.begin && flat_.roots[static_cast<size_t>(t.root)].result == static_cast<int>(result)) return;
  later([=, this, type = element_type(t.tensor().dtype), shape = dims_.get(*t.tensor().dims())] {
    const uint32_t out = builder_.tensor(Opcode::Result, static_cast<uint32_t>(result), type, shape);
    builder_.emit(Opcode::Copy, {out, at(t)});
  });
}

}  // namespace sunmao
