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

/// Parts of two threads share no page, hence no line of a cache.
uint64_t whole_pages(uint64_t bytes) { return (bytes + kPageSize - 1) / kPageSize * kPageSize; }

}  // namespace

Machine::Machine(const Model& model) : model_(model), scratch_stride_(whole_pages(model.code()->scratch_bytes())) {
  const Program& program = model.program();
  for (size_t i = 0; i < program.function_count(); ++i) {
    const FunctionView f = program.function(i);
    tensors_.resize(std::max<size_t>(tensors_.size(), f.tensor_registers));
    for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at])) {
      if (opcode_of(f.words[at]) != Opcode::Call) continue;
      buffers_.resize(std::max<size_t>(buffers_.size(), f.words[at + 2]));
      dims_.resize(std::max<size_t>(dims_.size(), f.words[at + 3]));
    }
  }
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
void Machine::clear_unused_bits(const Frame& frame, uint32_t tensor) const {
  const uint8_t unused = frame.layout.unused_bits[tensor];
  const Tensor& t = tensors_[tensor];
  if (unused != 0) static_cast<uint8_t*>(cpu_address(t.storage))[t.bytes - 1] &= static_cast<uint8_t>(~unused);
}

Status Machine::call(const Frame& frame, const uint32_t* words) {
  const uint32_t buffer_count = words[2];
  const uint32_t dim_count = words[3];
  const uint32_t* operands = words + 4;
  for (uint32_t i = 0; i < buffer_count; ++i) buffers_[i] = cpu_address(tensors_[operands[i]].storage);
  for (uint32_t i = 0; i < dim_count; ++i) dims_[i] = frame.layout.dims[operands[buffer_count + i]];
  const sunmao_kernel kernel = model_.code()->kernels()[words[1]];
  const uint64_t begin = profile_ ? Profile::now() : 0;
  const int status = kernel(buffers_.data(), dims_.data(), &outer_);
  if (profile_) [[unlikely]]
    profile_->add(words, {dims_.data(), dim_count}, begin, Profile::now());
  return status == 0 ? Status() : status_of(words[1], status, frame.function.name);
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

Status Machine::run(const Frame& frame, size_t function, uint32_t threads) {
  const std::vector<uint32_t>& input_of_param = model_.signatures()[function].input_of_param;
  const auto weight = [&](uint32_t index) { return model_.weights()->tensors()[index]; };
  SUNMAO_TRY(prepare_threads(threads));
  forget_failure();
  const uint32_t* const code = frame.function.words.data();
  for (size_t at = frame.layout.body;;) {
    const uint32_t* w = code + at;
    at += length_of(w[0]);
    switch (opcode_of(w[0])) {
      case Opcode::Slot:
        tensors_[w[1]] = {frame.arena.at(frame.layout.slot_offsets[w[2]]), frame.layout.tensor_bytes[w[1]]};
        clear_unused_bits(frame, w[1]);
        break;
      case Opcode::Param: {
        const uint32_t input = input_of_param[w[2]];
        tensors_[w[1]] = input == abi::kNone ? weight(frame.function.params[w[2]].weight) : frame.inputs[input];
        break;
      }
      case Opcode::Constant: tensors_[w[1]] = weight(w[2]); break;
      case Opcode::Result:
        tensors_[w[1]] = frame.results[w[2]];
        clear_unused_bits(frame, w[1]);
        break;
      case Opcode::View: tensors_[w[1]] = tensors_[w[2]]; break;
      case Opcode::Call: SUNMAO_TRY(call(frame, w)); break;
      case Opcode::Copy:
        if (tensors_[w[1]].bytes > 0)
          std::memmove(cpu_address(tensors_[w[1]].storage), cpu_address(tensors_[w[2]].storage), tensors_[w[1]].bytes);
        clear_unused_bits(frame, w[1]);
        break;
      case Opcode::Jump: at = w[1]; break;
      case Opcode::JumpIfFalse:
        if (*static_cast<const uint8_t*>(cpu_address(tensors_[w[1]].storage)) == 0) at = w[2];
        break;
      default:  // Return
        return {};
    }
  }
}

}  // namespace sunmao::runtime
