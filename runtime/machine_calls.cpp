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

void grow_to(std::vector<Tensor>& tensors, size_t count) {
  if (tensors.size() < count) tensors.resize(count);
}

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

Machine::ParamRegisters Machine::find_param_registers(const FunctionView& f) {
  size_t at = 0;
  while (at < f.words.size() && opcode_of(f.words[at]) != Opcode::Layout) at += length_of(f.words[at]);
  if (!f.is_inner || at == f.words.size()) return {};
  at += length_of(f.words[at]);
  ParamRegisters found = {std::vector<uint32_t>(f.params.size(), abi::kNone), 0};
  for (; opcode_of(f.words[at]) == Opcode::Param; at += length_of(f.words[at])) {
    uint32_t& reg = found.of_param[f.words[at + 2]];
    if (reg != abi::kNone) return {};
    reg = f.words[at + 1];
    found.words += length_of(f.words[at]);
  }
  for (; at < f.words.size(); at += length_of(f.words[at]))
    if (opcode_of(f.words[at]) == Opcode::Param) return {};
  return found;
}

Status Machine::find_layout(size_t function, Layout*& layout) {
  layout = layouts_[function].find(shapes_);
  if (layout) return {};
  io::Result<Layout> made = make_layout(model_.program().tables(), functions_[function], shapes_);
  if (!made.ok()) return made.status();
  layout = layouts_[function].insert(made.take());
  known_.clear();
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

void Machine::pass_delivered(uint32_t index, std::span<int64_t> sizes, Tensor& to) {
  to = delivered_.tensors[index];
  if (delivered_at_) write_sizes(delivered_at_, *delivered_from_, *delivered_by_);
  delivered_at_ = nullptr;
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

Machine::Passed Machine::pass(const uint32_t* words, const Now& now, size_t first) {
  Passed passed;
  const std::span<const abi::ValueRecord> params = functions_[words[0]].params;
  grow_to(params_, first + params.size());
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
      passed.is_valid &= is_whole && std::all_of(sizes, sizes + rank, [](int64_t n) { return n >= 0; });
      passed.is_sized_by_data = true;
    } else if (reg != abi::kNone) {
      pass_delivered(reg - abi::kDelivered, {sizes, rank}, to);
      passed.is_sized_by_data |= !delivered_by_;
    } else {
      to = {};
    }
    if (rank > 0 && words[1] != abi::kNone)
      for (uint32_t i = 0; i < rank; ++i) sizes[i] = now.layout->dims[words[1 + i]];
    sizes += rank;
    words += rank;
  }
  return passed;
}

void Machine::end_followed(Activation& ending, const Layout* next) {
  if (next == ending.layout) blocks_.keep(ending.arena_block);
  uint32_t kept = kNoBlock;
  blocks_.end(ending.blocks, {kept, activations_.size()});
  ending.blocks = kept;
  --ending.layout->users;
}

Status Machine::too_deep(const FunctionView& function) const {
  return Status::error("E0921",
                       concat("function ", quoted(function.name), ": ", activations_.size(), " calls are nested"),
                       "the recursion does not end, or should end with the call of itself, as a loop");
}

bool Machine::nest(const Callee& callee) {
  const Activation& from = activations_.back();
  const size_t registers = from.registers + from.view->tensor_registers;
  if (activations_.size() >= kMostActivations || registers > kMostRegisters) return false;
  const size_t params = from.params + (from.view->is_inner ? from.view->params.size() : 0);
  activations_.push_back({.registers = registers, .params = params, .results = callee.results, .next = callee.next});
  return true;
}

Status Machine::start(const Callee& callee, const Now& now) {
  if (stop_.should_stop) SUNMAO_TRY(ask());
  const KnownStarts::Start* known = known_.find({callee.words, now.layout, delivered_by_});
  const uint32_t function = callee.words[0];
  if (!known && functions_[function].is_host()) return call_host(callee, now);
  const bool is_nested = callee.results || callee.next;
  if (is_nested && !nest(callee)) return too_deep(functions_[function]);
  Activation& next = activations_.back();
  next.function = function;
  next.view = &functions_[function];
  Layout* layout = nullptr;
  if (known)
    layout = pass_known(*known, now, is_nested);
  else
    SUNMAO_TRY(pass_new(callee, now, layout));
  ++layout->users;
  if (layout == next.layout) return {};
  next.layout = layout;
  next.arena_block = kNoBlock;
  if (layout->arena_bytes == 0) return {};
  next.arena_block = blocks_.take_free(layout->arena_bytes, owner());
  if (next.arena_block == kNoBlock) SUNMAO_TRY(take_block(layout->arena_bytes, next.arena_block));
  next.arena = blocks_.storage(next.arena_block);
  return {};
}

Layout* Machine::pass_known(const KnownStarts::Start& start, const Now& now, bool is_nested) {
  Activation& next = activations_.back();
  for (size_t m = 0; m < start.moves; ++m) {
    const uint32_t from = start.move[m].from;
    const Tensor& tensor = from < abi::kDelivered ? now.tensors[from] : delivered_.tensors[from - abi::kDelivered];
    if (!is_nested) blocks_.keep(tensor.storage.block);
    passed_[m] = tensor;
  }
  grow_to(tensors_, next.registers + next.view->tensor_registers);
  if (!is_nested) end_followed(next, start.layout);
  Tensor* registers = tensors_.data() + next.registers;
  for (size_t m = 0; m < start.moves; ++m) registers[start.move[m].to] = passed_[m];
  next.at = start.at;
  return start.layout;
}

Status Machine::pass_new(const Callee& callee, const Now& now, Layout*& layout) {
  Activation& next = activations_.back();
  const Passed passed = pass(callee.words, now, next.params);
  if (!passed.is_valid) return negative_size(*next.view);
  layout = layouts_[next.function].find_newest(shapes_);
  if (!layout) SUNMAO_TRY(find_layout(next.function, layout));
  if (!passed.is_sized_by_data) learn({callee.words, now.layout, delivered_by_}, layout);
  grow_to(tensors_, next.registers + next.view->tensor_registers);
  if (next.layout) {
    for (size_t p = 0; p < next.view->params.size(); ++p) blocks_.keep(params_[next.params + p].storage.block);
    end_followed(next, layout);
  }
  const ParamRegisters& registers = param_registers_[next.function];
  for (size_t p = 0; p < registers.of_param.size(); ++p)
    if (registers.of_param[p] != abi::kNone)
      tensors_[next.registers + registers.of_param[p]] = params_[next.params + p];
  next.at = layout->body + registers.words;
  return {};
}

void Machine::learn(const KnownStarts::Call& call, Layout* layout) {
  const FunctionView& function = functions_[call.words[0]];
  const ParamRegisters& registers = param_registers_[call.words[0]];
  if (registers.of_param.size() != function.params.size()) return;
  KnownStarts::Start start = {call, layout, layout->body + registers.words};
  const uint32_t* words = call.words + 1;
  for (size_t p = 0; p < function.params.size(); ++p) {
    if (*words != abi::kNone && registers.of_param[p] != abi::kNone) {
      if (start.moves == KnownStarts::kMostMoves) return;
      start.move[start.moves++] = {*words, registers.of_param[p]};
    }
    words += 1 + function.params[p].rank;
  }
  known_.insert(start);
}

Status Machine::deliver(const uint32_t* words, const Now& now) {
  Activation& ending = activations_.back();
  const FunctionView& view = *ending.view;
  delivered_from_ = &view;
  delivered_by_ = ending.layout;
  delivered_at_ = words;
  delivered_.tensors.resize(view.results.size());
  Tensor* to = delivered_.tensors.data();
  for (const abi::ValueRecord& result : view.results) {
    *to++ = now.tensors[*words];
    words += 1 + result.rank;
  }
  if (activations_.size() == 1) {
    write_sizes(delivered_at_, view, *ending.layout);
    return {};
  }
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
  return start({.words = next}, this->now());
}

void Machine::write_sizes(const uint32_t* words, const FunctionView& from, const Layout& layout) {
  delivered_.sizes.clear();
  for (const abi::ValueRecord& result : from.results) {
    for (uint32_t i = 1; i <= result.rank; ++i) delivered_.sizes.push_back(layout.dims[words[i]]);
    words += 1 + result.rank;
  }
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
