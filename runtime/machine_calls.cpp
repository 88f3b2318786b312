// The part of the machine that starts and ends functions.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "io/concat.h"
#include "runtime/instruction.h"
#include "runtime/machine.h"

namespace sunmao::runtime {

using abi::Opcode;
using io::concat;
using io::quoted;
using io::Status;

namespace {

constexpr uint64_t kCyclesBetweenQuestions = 150'000'000;  // some 50 milliseconds
constexpr uint32_t kMostUnseenSteps = 16;
// What more are taken for endless: each holds a layout and memory.
constexpr size_t kMostActivations = 50000;
constexpr size_t kMostRegisters = size_t{1} << 24;

}  // namespace

Status Machine::start_call(const uint32_t* words, const Now& now) {
  const Opcode opcode = opcode_of(words[0]);
  const uint32_t* callee = words + (is_choice(opcode) ? 2 : 1);
  const uint32_t* end = callee + argument_words_[*callee];
  if (is_choice(opcode)) {
    if (!is_true(now.tensors[words[1]])) callee = end;
    end += argument_words_[*end];
  }
  if (opcode == Opcode::Follow || opcode == Opcode::FollowIf) return start({.words = callee}, now);
  if (opcode == Opcode::Chain || opcode == Opcode::ChainIf) return start({.words = callee, .next = end}, now);
  return start({.words = callee, .results = end}, now);
}

Status Machine::find_layout(size_t function, Layout*& layout) {
  layout = layouts_[function].find(shapes_);
  if (layout) return {};
  io::Result<Layout> made = make_layout(model_.program().tables(), functions_[function], shapes_);
  if (!made.ok()) return made.status();
  layout = layouts_[function].insert(made.take());
  return {};
}

Status Machine::ask() {
  if (--until_time_ > 0) return {};
  const uint64_t now = __rdtsc();
  // Reading the time takes as long as a short step: steps that are short go by unseen, more and more of them.
  const bool is_fast = now - read_ < kCyclesBetweenQuestions / 16;
  steps_unseen_ = is_fast ? std::min(steps_unseen_ * 2, kMostUnseenSteps) : 1;
  until_time_ = steps_unseen_;
  read_ = now;
  if (now - asked_ < kCyclesBetweenQuestions) return {};
  asked_ = now;
  if (stop_.should_stop(stop_.data) == 0) return {};
  return Status::error("E0922", concat("function ", quoted(activations_.back().view->name), ": the run was stopped"),
                       "the program that runs the model asked for it");
}

void Machine::pass_delivered(uint32_t index, std::span<int64_t> sizes, Tensor& to) const {
  to = delivered_.tensors[index];
  size_t first = 0;
  for (uint32_t i = 0; i < index; ++i) first += delivered_from_->results[i].rank;
  std::copy_n(delivered_.sizes.begin() + static_cast<std::ptrdiff_t>(first), sizes.size(), sizes.begin());
}

Status Machine::negative_size(const FunctionView& function) const {
  const auto size = std::find_if(shapes_.begin(), shapes_.end(), [](int64_t n) { return n < 0; });
  if (size == shapes_.end())
    return Status::error("E0911", concat("function ", quoted(function.name), ": data decides more or fewer sizes"));
  return Status::error("E0911", concat("function ", quoted(function.name), ": data decides a size, and it is ", *size),
                       "what computes the size must give 0 or more");
}

bool Machine::pass(const uint32_t* words, const Now& now, size_t first) {
  bool is_valid = true;
  const std::span<const abi::ValueRecord> params = functions_[words[0]].params;
  if (params_.size() < first + params.size()) params_.resize(first + params.size());
  shapes_.resize(argument_words_[words[0]] - 1 - params.size());
  int64_t* sizes = shapes_.data();
  for (size_t p = 0; p < params.size(); ++p) {
    const uint32_t rank = params[p].rank;
    const uint32_t reg = *++words;
    Tensor& to = params_[first + p];
    if (reg < abi::kDelivered && !is_sizes(params[p].type)) {
      to = now.tensors[reg];
    } else if (reg != abi::kNone && is_sizes(params[p].type)) {
      const Tensor held = reg < abi::kDelivered ? now.tensors[reg] : delivered_.tensors[reg - abi::kDelivered];
      const bool is_whole = held.bytes == rank * sizeof(int64_t);
      to = {};
      if (rank > 0 && is_whole) std::memcpy(sizes, cpu_address(held.storage), rank * sizeof(int64_t));
      is_valid = is_valid && is_whole && std::all_of(sizes, sizes + rank, [](int64_t n) { return n >= 0; });
    } else if (reg != abi::kNone) {
      pass_delivered(reg - abi::kDelivered, {sizes, rank}, to);
    } else {
      to = {};
    }
    if (rank > 0 && words[1] != abi::kNone)
      for (uint32_t i = 0; i < rank; ++i) sizes[i] = now.layout->dims[words[1 + i]];
    sizes += rank;
    words += rank;
  }
  return is_valid;
}

Status Machine::start(const Callee& callee, const Now& now) {
  if (stop_.should_stop) SUNMAO_TRY(ask());
  if (functions_[callee.words[0]].is_host()) return call_host(callee, now);
  const bool is_nested = callee.results || callee.next;
  if (is_nested) SUNMAO_TRY(nest(callee));
  Activation& next = activations_.back();
  next.function = callee.words[0];
  next.view = &functions_[next.function];
  if (!pass(callee.words, now, next.params)) return negative_size(*next.view);
  Layout* layout = layouts_[next.function].find_newest(shapes_);
  if (!layout) SUNMAO_TRY(find_layout(next.function, layout));

  if (!is_nested) {
    for (size_t p = 0; p < next.view->params.size(); ++p) blocks_.keep(params_[next.params + p].storage.block);
    uint32_t kept = kNoBlock;
    blocks_.end(next.blocks, {kept, activations_.size()});
    next.blocks = kept;
    --next.layout->users;
  }
  next.layout = layout;
  next.at = next.layout->body;
  ++next.layout->users;
  const size_t end = next.registers + next.view->tensor_registers;
  if (tensors_.size() < end) tensors_.resize(end);
  if (next.layout->arena_bytes == 0) return {};
  uint32_t arena = kNoBlock;
  SUNMAO_TRY(take_block(next.layout->arena_bytes, arena));
  next.arena = blocks_.storage(arena);
  return {};
}

Status Machine::nest(const Callee& callee) {
  const Activation& from = activations_.back();
  const size_t registers = from.registers + from.view->tensor_registers;
  if (activations_.size() >= kMostActivations || registers > kMostRegisters)
    return Status::error(
        "E0921",
        concat("function ", quoted(functions_[callee.words[0]].name), ": ", activations_.size(), " calls are nested"),
        "the recursion does not end, or should end with the call of itself, as a loop");
  const size_t params = from.params + (from.view->is_inner ? from.view->params.size() : 0);
  activations_.push_back({.registers = registers, .params = params, .results = callee.results, .next = callee.next});
  return {};
}

Status Machine::deliver(const uint32_t* words, const Now& now) {
  Activation& ending = activations_.back();
  const FunctionView& view = *ending.view;
  delivered_.tensors.clear();
  delivered_.sizes.clear();
  for (const abi::ValueRecord& result : view.results) {
    delivered_.tensors.push_back(now.tensors[*words]);
    for (uint32_t i = 1; i <= result.rank; ++i) delivered_.sizes.push_back(now.layout->dims[words[i]]);
    words += 1 + result.rank;
  }
  if (activations_.size() == 1) return {};
  for (const Tensor& t : delivered_.tensors) {
    const uint32_t block = t.storage.block;
    blocks_.keep(block);
    if (blocks_.is_of(block, activations_.size())) blocks_.pass(block, activations_.size() - 1);
  }
  blocks_.end(ending.blocks, {activations_[activations_.size() - 2].blocks, activations_.size() - 1});
  --ending.layout->users;
  const uint32_t* results = ending.results;
  const uint32_t* next = ending.next;
  activations_.pop_back();
  if (results) return write_results(results, view);
  delivered_from_ = &view;
  return start({.words = next}, this->now());
}

Status Machine::write_results(const uint32_t* to, const FunctionView& from) {
  const Activation& caller = activations_.back();
  for (size_t r = 0; r < from.results.size(); ++r) {
    const Tensor& tensor = delivered_.tensors[r];
    const uint64_t expected = caller.layout->tensor_bytes[*to];
    if (tensor.bytes != expected)
      return Status::error("E0911", concat("function ", quoted(from.name), ": result ", r, " has ", tensor.bytes,
                                           " bytes, its caller expects ", expected));
    tensors_[caller.registers + *to] = tensor;
    to += 1 + from.results[r].rank;
  }
  return {};
}

}  // namespace sunmao::runtime
