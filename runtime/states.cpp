#include "runtime/states.h"

#include <algorithm>
#include <cstring>

#include "io/concat.h"
#include "runtime/element_type.h"

namespace sunmao::runtime {

using io::concat;
using io::Status;

States::States(const Model& model, Blocks& blocks) : model_(model), blocks_(blocks) {
  const size_t count = model.program().tables().states.size();
  values_.reserve(count);
  for (size_t s = 0; s < count; ++s) values_.push_back(first_value(s));
}

States::Value States::first_value(size_t state) const {
  const ProgramTables& tables = model_.program().tables();
  const abi::StateRecord& record = tables.states[state];
  const std::span<const int64_t> shape = tables.shape(record);
  Value value = {{{}, *byte_size(record.type, shape)}, {shape.begin(), shape.end()}, Is::Zeros};
  if (record.weight == abi::kNone) return value;
  value.tensor = model_.weights()->tensors()[record.weight];
  value.is = Is::There;
  return value;
}

Storage States::in_block(uint32_t block) const {
  Storage storage = blocks_.storage(block);
  storage.block = block;
  return storage;
}

Status States::prepare(size_t state) {
  Value& value = values_[state];
  if (value.is == Is::There) return {};
  if (value.is == Is::Lost)
    return Status::error("E0925", describe_state(model_, state) + " is lost: a run that failed had changed it",
                         "reset the session (sunmao_session_reset), load a state that was saved, or set this one");
  const io::Result<uint32_t> block = blocks_.take(value.tensor.bytes, owner());
  if (!block.ok()) return block.status();
  value.tensor.storage = in_block(*block);
  std::memset(cpu_address(value.tensor.storage), 0, value.tensor.bytes);
  value.is = Is::There;
  return {};
}

void States::lend(std::span<const uint32_t> states, Blocks::Owner run) {
  lent_ = states;
  for (const uint32_t s : lent_)
    if (values_[s].is == Is::There) blocks_.lend(values_[s].tensor.storage.block);
  blocks_.hand_on(list_, run);
}

Status States::keep(std::span<const Tensor> delivered, std::span<const int64_t> sizes, Blocks::Owner run) {
  next_.assign(delivered.begin(), delivered.end());
  for (Tensor& next : next_) {
    if (!blocks_.is_of(next.storage.block, run.number) || blocks_.is_kept(next.storage.block)) {
      const io::Result<uint32_t> block = blocks_.take(next.bytes, run);
      if (!block.ok()) {
        blocks_.keep_none();
        return block.status();
      }
      const Storage from = next.storage;
      next.storage = in_block(*block);
      if (next.bytes > 0) std::memcpy(cpu_address(next.storage), cpu_address(from), next.bytes);
    }
    blocks_.keep(next.storage.block);
  }
  blocks_.hand_on(run.list, owner());
  for (size_t i = 0; i < lent_.size(); ++i) {
    Value& value = values_[lent_[i]];
    value.tensor = next_[i];
    const size_t rank = value.shape.size();
    std::copy_n(sizes.begin(), rank, value.shape.begin());
    sizes = sizes.subspan(rank);
    value.is = Is::There;
  }
  lent_ = {};
  return {};
}

void States::take_back(Blocks::Owner run) {
  for (const uint32_t s : lent_) {
    Value& value = values_[s];
    const uint32_t block = value.tensor.storage.block;
    if (value.is != Is::There || block == kNoBlock) continue;
    if (blocks_.is_lent(block)) {
      blocks_.keep(block);
    } else {
      value.tensor = {};
      std::fill(value.shape.begin(), value.shape.end(), 0);
      value.is = Is::Lost;
    }
  }
  blocks_.hand_on(run.list, owner());
  lent_ = {};
}

void States::reset() {
  std::vector<Value> first;  // all of them, before one is replaced
  for (size_t s = 0; s < values_.size(); ++s) first.push_back(first_value(s));
  values_.swap(first);
  drop_unused();
}

void States::drop_unused() {
  for (const Value& value : values_) blocks_.keep(value.tensor.storage.block);
  uint32_t kept = kNoBlock;
  blocks_.end(list_, {kept, kNobody});
  list_ = kept;
}

Status States::copy(const States& from) {
  Change change(*this);
  for (uint32_t s = 0; s < values_.size(); ++s) {
    const Value& value = from.values_[s];
    if (value.is != Is::There || value.tensor.storage.block == kNoBlock) continue;
    const io::Result<void*> memory = change.make(s, value.shape);
    if (!memory.ok()) return memory.status();
    std::memcpy(*memory, cpu_address(value.tensor.storage), value.tensor.bytes);
  }
  for (size_t s = 0; s < values_.size(); ++s)
    values_[s] = from.values_[s].is == Is::Lost ? from.values_[s] : first_value(s);
  change.accept();
  return {};
}

States::Change::~Change() {
  uint32_t nobody = kNoBlock;
  states_.blocks_.end(list_, {nobody, kNobody});
}

io::Result<void*> States::Change::make(uint32_t state, std::span<const int64_t> shape) {
  const uint64_t bytes = *byte_size(states_.model_.program().tables().states[state].type, shape);
  New& made = made_.emplace_back(New{state, {}, {shape.begin(), shape.end()}});
  const io::Result<uint32_t> block = states_.blocks_.take(bytes, {list_, kNobody});
  if (!block.ok()) return block.status();
  made.tensor = {states_.in_block(*block), bytes};
  return cpu_address(made.tensor.storage);
}

void States::Change::accept() {
  for (New& made : made_) {
    states_.values_[made.state] = {made.tensor, std::move(made.shape), Is::There};
    states_.blocks_.keep(made.tensor.storage.block);
  }
  made_.clear();
  states_.blocks_.hand_on(list_, states_.owner());
  states_.drop_unused();
}

std::string describe_state(const Model& model, size_t state) {
  return concat("state ", io::quoted(model.states()[state].name));
}

Status check_state_shape(const Model& model, size_t state, std::span<const int64_t> shape) {
  const std::vector<sunmao_dim>& dims = model.states()[state].dims;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!dims[axis].symbol && shape[axis] != dims[axis].size)
      return Status::error("E0905", concat(describe_state(model, state), " has ", shape[axis], " on axis ", axis,
                                           ", expected ", dims[axis].size));
    if (shape[axis] < dims[axis].minimum || shape[axis] > dims[axis].maximum)
      return Status::error("E0906", concat(describe_state(model, state), " has ", shape[axis], " on axis ", axis,
                                           ", expected ", dims[axis].minimum, " to ", dims[axis].maximum));
  }
  return {};
}

}  // namespace sunmao::runtime
