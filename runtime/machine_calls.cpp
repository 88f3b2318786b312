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

Machine::Callee Machine::callee_of(const uint32_t* words, const Tensor* tensors) const {
  const Opcode opcode = opcode_of(*words++);
  const bool is_second = is_choice(opcode) && !is_true(tensors[*words++]);
  const uint32_t* callee = is_second ? after(words) : words;
  const uint32_t* end = is_choice(opcode) && !is_second ? after(after(callee)) : after(callee);
  if (opcode == Opcode::Chain || opcode == Opcode::ChainIf) return {.words = callee, .next = end};
  return {.words = callee, .results = end};
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
    return Status::error("E0911",
                         concat("function ", quoted(function.name), ": data decides more or fewer sizes than it takes"),
                         "a tensor of sizes has one element for each");
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

Status Machine::too_deep(const FunctionView& function) const {
  return Status::error("E0921",
                       concat("function ", quoted(function.name), ": ", activations_.size(), " calls are nested"),
                       "the recursion does not end, or should end with the call of itself, as a loop");
}

bool Machine::nest(const Callee& callee, const uint32_t* at) {
  Activation& from = activations_.back();
  const size_t registers = from.registers + from.view->tensor_registers;
  const size_t params = from.params + (from.view->is_inner ? from.view->params.size() : 0);
  if (activations_.size() >= kMostActivations || std::max(registers, params) > kMostRegisters) return false;
  from.at = at;
  activations_.push_back({.registers = static_cast<uint32_t>(registers),
                          .params = static_cast<uint32_t>(params),
                          .results = callee.results,
                          .next = callee.next});
  return true;
}

Status Machine::start(const Callee& callee, const uint32_t* at) {
  if (stop_.should_stop && --until_time_ == 0) SUNMAO_TRY(ask());
  if (!start_known(callee, at)) {
    if (functions_[callee.words[0]].is_host()) return call_host(callee, at);
    SUNMAO_TRY(start_new(callee, at));
  }
  const Activation& a = activations_.back();
  return blocks_.suits(a.arena_block, a.layout->arena_bytes) ? Status() : take_arena();
}

Status Machine::take_arena() {
  Activation& a = activations_.back();
  const uint64_t bytes = a.layout->arena_bytes;
  blocks_.give_back(a.arena_block);
  if (bytes == 0) return {};
  const Blocks::Owner owner = {a.arena_block, activations_.size()};
  if (blocks_.take_free(bytes, owner) == kNoBlock)
    if (const io::Result<uint32_t> made = blocks_.take(bytes, owner); !made.ok()) return made.status();
  a.arena = static_cast<std::byte*>(cpu_address(blocks_.storage(a.arena_block)));
  return {};
}

bool Machine::start_known(const Callee& callee, const uint32_t* at) {
  const KnownStarts::Start* start = known_.find(callee.words, activations_.back().layout, delivered_by_);
  if (!start || (callee.is_nested() && !nest(callee, at))) return false;
  Activation& next = activations_.back();
  grow_to(tensors_, next.registers + start->view->tensor_registers);
  Tensor* to = tensors_.data() + next.registers;
  const Tensor* from = callee.is_nested() ? tensors_.data() + (&next)[-1].registers : to;
  if (next.blocks != kNoBlock) end_followed(start->moves, next.blocks, from);
  pass_known(start->moves, from, to);
  enter(next, *start);
  return true;
}

void Machine::pass_circle(const KnownStarts::Moves& moves, const Tensor* from, Tensor* to) const {
  std::array<Tensor, KnownStarts::kMostMoves> passed;
  for (size_t m = 0; m < moves.moving; ++m) passed[m] = from[moves.move[m].from];
  for (size_t m = 0; m < moves.moving; ++m) to[moves.move[m].to] = passed[m];
  for (size_t m = moves.staying; m < moves.all; ++m) to[moves.move[m].to] = delivered_.tensors[moves.move[m].from];
}

Status Machine::start_new(const Callee& callee, const uint32_t* at) {
  const uint32_t function = callee.words[0];
  const FunctionView& view = functions_[function];
  const Now from = now();
  if (callee.is_nested() && !nest(callee, at)) return too_deep(view);
  Activation& next = activations_.back();
  const Passed passed = pass(callee.words, from, next.params);
  if (!passed.is_valid) return negative_size(view);
  Layout* layout = layouts_[function].find_newest(shapes_);
  if (!layout) SUNMAO_TRY(find_layout(function, layout));
  if (!passed.is_sized_by_data) learn(callee, from.layout, layout);
  grow_to(tensors_, next.registers + view.tensor_registers);
  if (!callee.is_nested()) {
    for (size_t p = 0; p < view.params.size(); ++p) blocks_.keep(params_[next.params + p].storage.block);
    blocks_.end({next.blocks, activations_.size()});
  }
  const ParamRegisters& registers = param_registers_[function];
  for (size_t p = 0; p < registers.of_param.size(); ++p)
    if (registers.of_param[p] != abi::kNone)
      tensors_[next.registers + registers.of_param[p]] = params_[next.params + p];
  enter(next, {.layout = layout, .view = &view, .at = view.words.data() + layout->body + registers.words});
  return {};
}

void Machine::learn(const Callee& callee, const Layout* caller, Layout* layout) {
  const FunctionView& view = functions_[callee.words[0]];
  const ParamRegisters& registers = param_registers_[callee.words[0]];
  if (registers.of_param.size() != view.params.size()) return;
  KnownStarts::Start start = {
      callee.words,       caller, nullptr, layout, &view, view.words.data() + layout->body + registers.words,
      layout->arena_bytes};
  enum { FromRegister, Staying, Delivered };
  bool is_all = true;
  const auto add = [&](int kind) {
    const uint32_t* words = callee.words + 1;
    for (size_t p = 0; p < view.params.size(); words += 1 + view.params[p++].rank) {
      if (is_delivered(*words)) start.delivered = delivered_by_;
      const uint32_t to = registers.of_param[p];
      if (*words == abi::kNone || to == abi::kNone) continue;
      const bool is_staying = *words == to && !callee.is_nested();
      if ((is_delivered(*words) ? Delivered : is_staying ? Staying : FromRegister) != kind) continue;
      is_all &= start.moves.add({*words & ~abi::kDelivered, to});
    }
    return start.moves.all;
  };
  start.moves.moving = add(FromRegister);
  if (!callee.is_nested()) start.moves.order();
  start.moves.staying = add(Staying);
  add(Delivered);
  if (is_all) known_.insert(start);
}

void Machine::deliver(const uint32_t* words) {
  const Activation& ending = activations_.back();
  const FunctionView& view = *ending.view;
  delivered_from_ = &view;
  delivered_by_ = ending.layout;
  delivered_at_ = words;
  delivered_.tensors.resize(view.results.size());
  const Tensor* tensors = tensors_.data() + ending.registers;
  Tensor* to = delivered_.tensors.data();
  for (const abi::ValueRecord& result : view.results) {
    *to++ = tensors[*words];
    words += 1 + result.rank;
  }
  if (activations_.size() == 1) write_sizes(delivered_at_, view, *ending.layout);
}

Status Machine::end_call() {
  const Activation ending = activations_.back();
  const size_t number = activations_.size();
  for (const Tensor& t : delivered_.tensors) {
    const uint32_t block = t.storage.block;
    blocks_.keep(block);
    if (blocks_.is_of(block, number)) blocks_.pass(block, number - 1);
  }
  Activation& caller = activations_[number - 2];
  blocks_.end(activations_.back().blocks, {caller.blocks, number - 1});
  blocks_.give_back(activations_.back().arena_block);
  --ending.layout->users;
  activations_.pop_back();
  if (ending.results) return write_results(ending.results, *ending.view);
  return start({.words = ending.next}, nullptr);
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
