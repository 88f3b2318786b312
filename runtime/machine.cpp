#include "runtime/machine.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "io/concat.h"
#include "runtime/instruction.h"
#include "runtime/thread_pool.h"

namespace sunmao::runtime {

using abi::Opcode;
using io::concat;
using io::quoted;
using io::Status;

namespace {

constexpr uint64_t kCyclesBetweenQuestions = 150'000'000;  // some 50 milliseconds
constexpr uint32_t kMostUnseenSteps = 16;
constexpr size_t kActivationsAtFirst = 8;
// What more are taken for endless: each holds a layout and memory.
constexpr size_t kMostActivations = 50000;
constexpr size_t kMostRegisters = size_t{1} << 24;

/// Writes a tensor field by field: a whole one that was put together just before would be read again before it is
/// written, which processors do slowly.
void put(Tensor& to, const Storage& base, uint64_t offset, uint64_t bytes, uint32_t block) {
  to.storage.device = base.device;
  to.storage.block = block;
  to.storage.handle = base.handle;
  to.storage.offset = base.offset + offset;
  to.bytes = bytes;
}

/// Parts of two threads share no page, hence no line of a cache.
uint64_t whole_pages(uint64_t bytes) { return (bytes + kPageSize - 1) / kPageSize * kPageSize; }

}  // namespace

Machine::Machine(const Model& model, std::vector<LayoutCache>& layouts)
    : model_(model), layouts_(layouts), kernels_(model.code()->kernels().data()),
      scratch_stride_(whole_pages(model.code()->scratch_bytes())) {
  const Program& program = model.program();
  functions_.reserve(program.function_count());
  for (size_t i = 0; i < program.function_count(); ++i) {
    const FunctionView& f = functions_.emplace_back(program.function(i));
    tensors_.resize(std::max<size_t>(tensors_.size(), f.tensor_registers));
    size_t words = 1;
    for (const abi::ValueRecord& param : f.params) words += 1 + param.rank;
    argument_words_.push_back(words);
    for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at])) {
      if (opcode_of(f.words[at]) != Opcode::Call) continue;
      buffers_.resize(std::max<size_t>(buffers_.size(), f.words[at + 2]));
      dims_.resize(std::max<size_t>(dims_.size(), f.words[at + 3]));
    }
  }
  activations_.reserve(kActivationsAtFirst);
  outer_ = {SUNMAO_KERNEL_ABI,
            1,
            &Machine::parallel_for,
            &Machine::fail,
            this,
            &Machine::fail_index,
            &Machine::parallel_ranges,
            0,
            nullptr};
  inner_ = outer_;
}

int Machine::parallel_ranges(sunmao_context* context, sunmao_range_body body, void* closure, int64_t count) {
  const auto* machine = static_cast<const Machine*>(context->host);
  if (context->num_threads == 1) return run_in_place({body, closure, count, context});
  return run_parallel({body, closure, count, &machine->inner_, machine->scratch_stride_}, context->num_threads);
}

Status Machine::prepare_threads(uint32_t threads) {
  outer_.num_threads = threads;
  if (threads * scratch_stride_ <= scratch_.capacity()) return {};
  SUNMAO_TRY(scratch_.reserve(threads * scratch_stride_));
  outer_.scratch = inner_.scratch = cpu_address(scratch_.storage());
  return {};
}

// Loops of code of versions 1 and 2.
int Machine::parallel_for(sunmao_context* context, sunmao_parallel_body body, void* closure, int64_t count) {
  struct Loop {
    sunmao_parallel_body body;
    void* closure;
  } loop{body, closure};
  const auto run_range = [](void* of, int64_t begin, int64_t end, sunmao_context* own) {
    const auto* l = static_cast<const Loop*>(of);
    for (int64_t i = begin; i < end; ++i)
      if (const int status = l->body(l->closure, i, own); status != 0) return status;
    return 0;
  };
  return parallel_ranges(context, run_range, &loop, count);
}

int Machine::fail(sunmao_context* context, const char* message) {
  auto* machine = static_cast<Machine*>(context->host);
  const char* none = nullptr;
  machine->failure_.compare_exchange_strong(none, message);
  return 1;
}

int Machine::fail_index(sunmao_context* context, const char* what, int64_t index, int64_t size) {
  auto* machine = static_cast<Machine*>(context->host);
  const char* none = nullptr;
  // bad_index_ is read only after all threads of the kernel are done, so it needs no synchronisation.
  if (machine->failure_.compare_exchange_strong(none, what)) machine->bad_index_ = BadIndex{index, size};
  return 1;
}

void Machine::forget_failure() {
  failure_.store(nullptr, std::memory_order_relaxed);
  bad_index_.reset();
}

// Kernels store packed elements one by one and leave other bits of a byte as they are.
void Machine::clear_unused_bits(const Now& now, uint32_t tensor) const {
  const uint8_t unused = now.layout->unused_bits[tensor];
  const Tensor& t = now.tensors[tensor];
  if (unused != 0) static_cast<uint8_t*>(cpu_address(t.storage))[t.bytes - 1] &= static_cast<uint8_t>(~unused);
}

Status Machine::call(const uint32_t* words, const Now& now) {
  const uint32_t buffer_count = words[2];
  const uint32_t dim_count = words[3];
  const uint32_t* operands = words + 4;
  for (uint32_t i = 0; i < buffer_count; ++i) buffers_[i] = cpu_address(now.tensors[operands[i]].storage);
  for (uint32_t i = 0; i < dim_count; ++i) dims_[i] = now.layout->dims[operands[buffer_count + i]];
  const sunmao_kernel kernel = kernels_[words[1]];
  const uint64_t begin = profile_ ? Profile::now() : 0;
  const int status = kernel(buffers_.data(), dims_.data(), &outer_);
  if (profile_) [[unlikely]]
    profile_->add(words, {dims_.data(), dim_count}, begin, Profile::now());
  return status == 0 ? Status() : status_of(words[1], status, activations_.back().view->name);
}

Status Machine::status_of(uint32_t kernel, int status, std::string_view function) const {
  const char* message = failure_.load();
  const ProgramTables& tables = model_.program().tables();
  if (message && bad_index_)
    return Status::error("E0919",
                         concat(function.empty() ? "" : "function ", function.empty() ? "" : quoted(function),
                                function.empty() ? "" : ": ", message, ": ", bad_index_->index,
                                " is out of range for a size of ", bad_index_->size),
                         "the numbers of a tensor that are used as indices or lengths must fit what they index");
  return Status::error("E0913",
                       concat(function.empty() ? "" : "function ", function.empty() ? "" : quoted(function),
                              function.empty() ? "" : ": ", "kernel ", quoted(tables.text(tables.kernels[kernel].name)),
                              " failed with status ", status, message ? ": " : "", message ? message : ""));
}

Status Machine::run_kernel(uint32_t kernel, void* const* buffers, const int64_t* dims, uint32_t threads) {
  SUNMAO_TRY(prepare_threads(threads));
  forget_failure();
  const int status = model_.code()->kernels()[kernel](buffers, dims, &outer_);
  return status == 0 ? Status() : status_of(kernel, status, {});
}

Status Machine::run(const Frame& frame, uint32_t threads) {
  SUNMAO_TRY(prepare_threads(threads));
  forget_failure();
  activations_.push_back({.function = frame.function,
                          .view = &functions_[frame.function],
                          .layout = &frame.layout,
                          .arena = frame.arena,
                          .at = frame.layout.body});
  ++frame.layout.users;
  Status status = interpret(frame);
  end_all();
  return status;
}

void Machine::end_all() {
  uint32_t nobody = kNoBlock;
  for (Activation& a : activations_) {
    if (a.layout) --a.layout->users;
    blocks_.end(a.blocks, nobody);
  }
  activations_.clear();
}

Status Machine::interpret(const Frame& frame) {
  Now n = now();
  for (size_t at = n.at;;) {
    const uint32_t* w = n.code + at;
    at += length_of(w[0]);
    switch (opcode_of(w[0])) {
      case Opcode::Slot:
        put(n.tensors[w[1]], n.arena, n.layout->slot_offsets[w[2]], n.layout->tensor_bytes[w[1]], kNoBlock);
        clear_unused_bits(n, w[1]);
        break;
      case Opcode::Param: n.tensors[w[1]] = param(frame, w[2]); break;
      case Opcode::Constant: n.tensors[w[1]] = model_.weights()->tensors()[w[2]]; break;
      case Opcode::Result:
        n.tensors[w[1]] = frame.results[w[2]];
        clear_unused_bits(n, w[1]);
        break;
      case Opcode::View: n.tensors[w[1]] = n.tensors[w[2]]; break;
      case Opcode::Block: SUNMAO_TRY(make_block(n, w[1])); break;
      case Opcode::Call: SUNMAO_TRY(call(w, n)); break;
      case Opcode::Copy:
        if (n.tensors[w[1]].bytes > 0)
          std::memmove(cpu_address(n.tensors[w[1]].storage), cpu_address(n.tensors[w[2]].storage),
                       n.tensors[w[1]].bytes);
        clear_unused_bits(n, w[1]);
        break;
      case Opcode::Jump: at = w[1]; break;
      case Opcode::JumpIfFalse:
        if (!is_true(n.tensors[w[1]])) at = w[2];
        break;
      case Opcode::Invoke:
      case Opcode::InvokeIf:
      case Opcode::Follow:
      case Opcode::FollowIf:
      case Opcode::Chain:
      case Opcode::ChainIf:
        activations_.back().at = at;
        SUNMAO_TRY(start_call(w, n));
        n = now();
        at = n.at;
        break;
      case Opcode::Deliver: {
        const bool is_last = activations_.size() == 1;
        SUNMAO_TRY(deliver(w + 1, n));
        if (is_last) return {};
        n = now();
        at = n.at;
        break;
      }
      default:  // Return
        return {};
    }
  }
}

const Tensor& Machine::param(const Frame& frame, uint32_t number) const {
  const Activation& a = activations_.back();
  if (a.view->is_inner) return params_[a.params + number];
  const uint32_t input = model_.signatures()[a.function].input_of_param[number];
  return input == abi::kNone ? model_.weights()->tensors()[a.view->params[number].weight] : frame.inputs[input];
}

Status Machine::take_block(uint64_t bytes, uint32_t& block) {
  uint32_t& list = activations_.back().blocks;
  block = blocks_.take_free(bytes, list);
  if (block != kNoBlock) return {};
  const io::Result<uint32_t> made = blocks_.take(bytes, list);
  if (made.ok()) block = *made;
  return made.status();
}

Status Machine::make_block(const Now& now, uint32_t tensor) {
  const uint64_t bytes = now.layout->tensor_bytes[tensor];
  uint32_t block = kNoBlock;
  SUNMAO_TRY(take_block(bytes, block));
  put(now.tensors[tensor], blocks_.storage(block), 0, bytes, block);
  clear_unused_bits(now, tensor);
  return {};
}

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

void Machine::pass(const uint32_t* words, const Now& now, size_t first) {
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
    } else if (reg < abi::kDelivered) {
      to = {};
      if (rank > 0) std::memcpy(sizes, cpu_address(now.tensors[reg].storage), rank * sizeof(int64_t));
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
}

Status Machine::start(const Callee& callee, const Now& now) {
  if (stop_.should_stop) SUNMAO_TRY(ask());
  const bool is_nested = callee.results || callee.next;
  if (is_nested) SUNMAO_TRY(nest(callee));
  Activation& next = activations_.back();
  next.function = callee.words[0];
  next.view = &functions_[next.function];
  pass(callee.words, now, next.params);
  Layout* layout = layouts_[next.function].find_newest(shapes_);
  if (!layout) SUNMAO_TRY(find_layout(next.function, layout));

  if (!is_nested) {
    for (size_t p = 0; p < next.view->params.size(); ++p) blocks_.keep(params_[next.params + p].storage.block);
    uint32_t kept = kNoBlock;
    blocks_.end(next.blocks, kept);
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
  for (const Tensor& t : delivered_.tensors) blocks_.keep(t.storage.block);
  blocks_.end(ending.blocks, activations_[activations_.size() - 2].blocks);
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
