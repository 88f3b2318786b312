#include "passes/lower/allocated_tensors.h"

#include <algorithm>

#include <fmt/format.h>

namespace sunmao {

size_t AllocatedTensors::add(AllocatedTensor tensor) {
  const size_t number = tensors_.size();
  tensors_.push_back(std::move(tensor));
  // What was written to these bytes before may be read through this tensor.
  for (size_t other = 0; other < number; ++other)
    if (tensors_[other].version > 0 && overlap(number, other)) tensors_[number].is_used_memory = true;
  return number;
}

bool AllocatedTensors::is_behind(size_t a, size_t b) {
  return bounds_.can_prove(Binary::make(BinaryOp::Le, tensors_[b].end, tensors_[a].begin));
}

bool AllocatedTensors::overlap(size_t a, size_t b) {
  if (a == b) return true;
  const Ref<Var>& storage = tensors_[a].storage;
  return storage && storage == tensors_[b].storage && !is_behind(a, b) && !is_behind(b, a);
}

void AllocatedTensors::write(size_t tensor, Expr value) {
  for (size_t other = 0; other < tensors_.size(); ++other) {
    if (other == tensor || !overlap(tensor, other)) continue;
    lose(other, fmt::format("after `{}`, which lies in the same memory, has been written", tensors_[tensor].name));
  }
  tensors_[tensor].value = std::move(value);
  tensors_[tensor].was_written = true;
  ++tensors_[tensor].version;
}

void AllocatedTensors::lose(size_t tensor, std::string why) {
  tensors_[tensor].value = nullptr;
  tensors_[tensor].lost = std::move(why);
  tensors_[tensor].is_used_memory = true;
  ++tensors_[tensor].version;
}

void AllocatedTensors::join(const State& other) {
  for (size_t i = 0; i < other.size(); ++i) {
    tensors_[i].is_used_memory |= other[i].is_used_memory;
    tensors_[i].was_written |= other[i].was_written;
  }
}

void AllocatedTensors::restore(const State& state) { std::ranges::copy(state, tensors_.begin()); }

}  // namespace sunmao
