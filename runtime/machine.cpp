#include "runtime/machine.h"

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

constexpr size_t kActivationsAtFirst = 8;

/// Writes a tensor in two halves, as it is copied: of a half that is written in pieces, a copy that follows has to wait
/// until all are in the cache.
void put(Tensor& to, const void* address, uint64_t bytes, uint32_t block) {
  using Half = uint64_t __attribute__((vector_size(16)));
  static_assert(sizeof(Tensor) == 2 * sizeof(Half) && offsetof(Storage, block) == 4 && offsetof(Storage, handle) == 8 &&
                offsetof(Storage, offset) == 16 && offsetof(Tensor, bytes) == 24);
  const Half begin = {uint64_t{block} << 32, reinterpret_cast<uintptr_t>(address)}, end = {0, bytes};
  auto* out = reinterpret_cast<std::byte*>(&to);
  std::memcpy(out, &begin, sizeof(begin));
  std::memcpy(out + sizeof(begin), &end, sizeof(end));
}

/// Parts of two threads share no page, hence no line of a cache.
uint64_t whole_pages(uint64_t bytes) { return (bytes + kPageSize - 1) / kPageSize * kPageSize; }

}  // namespace

Machine::Machine(const Model& model, std::vector<LayoutCache>& layouts)
    : model_(model), layouts_(layouts), kernels_(model.code()->kernels().data()), states_(model, blocks_),
      scratch_stride_(whole_pages(model.code()->scratch_bytes())) {
  const Program& program = model.program();
  functions_.reserve(program.function_count());
  for (size_t i = 0; i < program.function_count(); ++i) {
    const FunctionView& f = functions_.emplace_back(program.function(i));
    tensors_.resize(std::max<size_t>(tensors_.size(), f.tensor_registers));
    size_t words = 1;
    for (const abi::ValueRecord& param : f.params) words += 1 + param.rank;
    argument_words_.push_back(words);
    param_registers_.push_back(find_param_registers(f));
    for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at])) {
      if (opcode_of(f.words[at]) != Opcode::Call) continue;
      buffers_.resize(std::max<size_t>(buffers_.size(), f.words[at + 2]));
      dims_.resize(std::max<size_t>(dims_.size(), f.words[at + 3]));
    }
  }
  hosts_.resize(functions_.size());
  for (size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].is_host()) hosts_[i].form = functions_[i].name;
  for (size_t i = 0; i < model.own_ops().size(); ++i) {
    const auto address = reinterpret_cast<void (*)()>(kernels_[program.tables().kernels.size() + i]);
    // The loader has seen that the program calls it so.
    (void)set_host_function(model.own_ops()[i], {.op = reinterpret_cast<sunmao_op>(address)});
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
void Machine::clear_unused_bits(const Layout& layout, uint32_t reg, const Tensor& tensor) {
  if (const uint8_t unused = layout.unused_bits[reg]; unused != 0) [[unlikely]]
    static_cast<uint8_t*>(cpu_address(tensor.storage))[tensor.bytes - 1] &= static_cast<uint8_t>(~unused);
}

int Machine::call(const uint32_t* words, const Layout& layout, const Tensor* tensors) {
  const uint32_t buffer_count = words[2], dim_count = words[3];
  void** buffers = buffers_.data();
  int64_t* dims = dims_.data();
  const int64_t* values = layout.dims.data();
  const uint32_t* operands = words + 4;
  for (uint32_t i = 0; i < buffer_count; ++i) buffers[i] = cpu_address(tensors[*operands++].storage);
  for (uint32_t i = 0; i < dim_count; ++i) dims[i] = values[*operands++];
  const sunmao_kernel kernel = kernels_[words[1]];
  if (!profile_) return kernel(buffers, dims, &outer_);
  const uint64_t begin = Profile::now();
  const int status = kernel(buffers, dims, &outer_);
  profile_->add(words, {dims, dim_count}, begin, Profile::now());
  return status;
}

Status Machine::status_of(uint32_t kernel, int status, std::string_view function) const {
  const char* message = failure_.load();
  const ProgramTables& tables = model_.program().tables();
  const std::string where = function.empty() ? std::string() : concat("function ", quoted(function), ": ");
  if (message && bad_index_ && bad_index_->size < 0)
    return Status::error("E0919", concat(where, message, " cannot be ", bad_index_->index),
                         "look at the tensor that was passed");
  if (message && bad_index_)
    return Status::error(
        "E0919", concat(where, message, ": ", bad_index_->index, " is out of range for a size of ", bad_index_->size),
        "the numbers of a tensor that are used as indices or lengths must fit what they index");
  return Status::error("E0913", concat(where, "kernel ", quoted(tables.text(tables.kernels[kernel].name)),
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
  const FunctionView& view = functions_[frame.function];
  activations_.push_back({.view = &view,
                          .layout = &frame.layout,
                          .arena = static_cast<std::byte*>(cpu_address(frame.arena)),
                          .at = view.words.data() + frame.layout.body});
  ++frame.layout.users;
  states_.lend(model_.signatures()[frame.function].states_given, owner());
  return interpret(frame);
}

Status Machine::keep_states() {
  const size_t states = states_.lent().size();
  if (states == 0) return {};
  const std::span<const Tensor> tensors = delivered_.tensors;
  size_t sizes = 0;
  for (const uint32_t s : states_.lent()) sizes += states_.shape(s).size();
  return states_.keep(tensors.last(states), std::span<const int64_t>(delivered_.sizes).last(sizes), owner());
}

void Machine::end_run() {
  if (!activations_.empty()) states_.take_back({activations_.front().blocks, 1});
  uint32_t nobody = kNoBlock;
  for (Activation& a : activations_) {
    if (a.layout) --a.layout->users;
    blocks_.end(a.blocks, {nobody, 0});
    blocks_.end(a.arena_block, {nobody, 0});
  }
  activations_.clear();
}

inline bool Machine::make_small_block(const Layout& layout, uint32_t reg, Tensor& to) {
  const uint64_t bytes = layout.tensor_bytes[reg];
  const uint32_t block = blocks_.take_free(bytes, owner());
  if (block == kNoBlock) return false;
  put(to, cpu_address(blocks_.storage(block)), bytes, block);
  clear_unused_bits(layout, reg, to);
  return true;
}

inline const uint32_t* Machine::callee_of_follow(const uint32_t* words, const Tensor* tensors) const {
  if (opcode_of(*words) == Opcode::Follow) return words + 1;
  return is_true(tensors[words[1]]) ? words + 2 : after(words + 2);
}

inline bool Machine::follow_known(const uint32_t* callee, const Now& now) {
  const KnownStarts::Start* start = known_.find(callee, now.layout, delivered_by_);
  if (!start) return false;
  Activation& a = activations_.back();
  if (!blocks_.suits(a.arena_block, start->arena_bytes)) return false;
  if (tensors_.size() < a.registers + start->view->tensor_registers) return false;
  if (stop_.should_stop) {
    if (until_time_ == 1) return false;
    --until_time_;
  }
  const KnownStarts::Moves& moves = start->moves;
  if (a.blocks != kNoBlock) end_followed(moves, a.blocks, now.tensors);
  pass_known(moves, now.tensors, now.tensors);
  enter(a, *start);
  return true;
}

Status Machine::interpret(const Frame& frame) {
  Now n = now();
  for (;;) {
    const uint32_t* w = n.at;
    n.at += length_of(w[0]);
    switch (opcode_of(w[0])) {
      case Opcode::Slot:
        put(n.tensors[w[1]], n.arena + n.layout->slot_offsets[w[2]], n.layout->tensor_bytes[w[1]], kNoBlock);
        clear_unused_bits(*n.layout, w[1], n.tensors[w[1]]);
        break;
      case Opcode::Param: n.tensors[w[1]] = param(frame, w[2]); break;
      case Opcode::Constant: n.tensors[w[1]] = model_.weights()->tensors()[w[2]]; break;
      case Opcode::Result:
        n.tensors[w[1]] = frame.results[w[2]];
        clear_unused_bits(*n.layout, w[1], n.tensors[w[1]]);
        break;
      case Opcode::View: n.tensors[w[1]] = n.tensors[w[2]]; break;
      case Opcode::Part: {
        const Storage& whole = n.tensors[w[2]].storage;
        const auto begin = static_cast<uint64_t>(n.layout->dims[w[3]]);
        put(n.tensors[w[1]], static_cast<const std::byte*>(cpu_address(whole)) + begin, n.layout->tensor_bytes[w[1]],
            whole.block);
        break;
      }
      case Opcode::Block:
        if (!make_small_block(*n.layout, w[1], n.tensors[w[1]])) SUNMAO_TRY(make_block(w[1]));
        break;
      case Opcode::Own: SUNMAO_TRY(own(w + 1)); break;
      case Opcode::Give:
        if (has_alone(n.tensors, w[1], w + 2)) blocks_.pass(n.tensors[w[1]].storage.block, activations_.size() + 1);
        break;
      case Opcode::Values: SUNMAO_TRY(make_values(w + 1)); break;
      case Opcode::CheckValues: SUNMAO_TRY(check_values(w + 1)); break;
      case Opcode::Call:
        if (const int status = call(w, *n.layout, n.tensors); status != 0) [[unlikely]]
          return status_of(w[1], status, activations_.back().view->name);
        break;
      case Opcode::Copy:
        if (n.tensors[w[1]].bytes > 0)
          std::memmove(cpu_address(n.tensors[w[1]].storage), cpu_address(n.tensors[w[2]].storage),
                       n.tensors[w[1]].bytes);
        clear_unused_bits(*n.layout, w[1], n.tensors[w[1]]);
        break;
      case Opcode::Jump: n.at = word(w[1]); break;
      case Opcode::JumpIfFalse:
        if (!is_true(n.tensors[w[1]])) n.at = word(w[2]);
        break;
      case Opcode::Follow:
      case Opcode::FollowIf: {
        const uint32_t* callee = callee_of_follow(w, n.tensors);
        if (!follow_known(callee, n)) SUNMAO_TRY(start({.words = callee}, n.at));
        n = now();
        break;
      }
      case Opcode::Invoke:
      case Opcode::InvokeIf:
      case Opcode::Chain:
      case Opcode::ChainIf:
        SUNMAO_TRY(start(callee_of(w, n.tensors), n.at));
        n = now();
        break;
      case Opcode::Deliver:
        deliver(w + 1);
        if (activations_.size() == 1) return {};
        SUNMAO_TRY(end_call());
        n = now();
        break;
      default:  // Return
        return {};
    }
  }
}

const Tensor& Machine::param(const Frame& frame, uint32_t number) const {
  const Activation& a = activations_.back();
  if (a.view->is_inner) return params_[a.params + number];
  const Signature& signature = model_.signatures()[frame.function];
  if (const uint32_t state = signature.state_of_param[number]; state != abi::kNone) return states_.tensor(state);
  const uint32_t input = signature.input_of_param[number];
  return input == abi::kNone ? model_.weights()->tensors()[a.view->params[number].weight] : frame.inputs[input];
}

Status Machine::take_block(uint64_t bytes, uint32_t& block) {
  const io::Result<uint32_t> made = blocks_.take(bytes, owner());
  if (made.ok()) block = *made;
  return made.status();
}

Status Machine::make_block(uint32_t reg) {
  const Now n = now();
  const uint64_t bytes = n.layout->tensor_bytes[reg];
  uint32_t block = kNoBlock;
  SUNMAO_TRY(take_block(bytes, block));
  put(n.tensors[reg], cpu_address(blocks_.storage(block)), bytes, block);
  clear_unused_bits(*n.layout, reg, n.tensors[reg]);
  return {};
}

bool Machine::has_alone(const Tensor* tensors, uint32_t tensor, const uint32_t* others) const {
  const uint32_t block = tensors[tensor].storage.block;
  const auto is_there = [&](uint32_t other) { return tensors[other].storage.block == block; };
  return blocks_.is_of(block, activations_.size()) && std::none_of(others + 1, others + 1 + *others, is_there);
}

Status Machine::own(const uint32_t* words) {
  const Now n = now();
  const Tensor from = n.tensors[words[1]];
  if (has_alone(n.tensors, words[1], words + 2)) {
    n.tensors[words[0]] = from;
    blocks_.write(from.storage.block);
    return {};
  }
  SUNMAO_TRY(make_block(words[0]));
  if (from.bytes > 0) std::memcpy(cpu_address(n.tensors[words[0]].storage), cpu_address(from.storage), from.bytes);
  return {};
}

Status Machine::check_values(const uint32_t* words) {
  const Now n = now();
  const auto* values = static_cast<const int64_t*>(cpu_address(n.tensors[words[0]].storage));
  for (uint32_t i = 0; i < words[1]; ++i)
    if (const int64_t expected = n.layout->dims[words[2 + i]]; values[i] != expected)
      return Status::error("E0905", concat("function ", quoted(activations_.back().view->name), ": size ", i,
                                           " of a result of a call is ", values[i], ", expected ", expected));
  return {};
}

Status Machine::make_values(const uint32_t* words) {
  const Now n = now();
  SUNMAO_TRY(make_block(words[0]));
  auto* out = static_cast<int64_t*>(cpu_address(n.tensors[words[0]].storage));
  for (uint32_t i = 0; i < words[1]; ++i) out[i] = n.layout->dims[words[2 + i]];
  return {};
}

}  // namespace sunmao::runtime
