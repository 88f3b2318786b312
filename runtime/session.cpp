#include "runtime/session.h"

#include <algorithm>
#include <cstring>

#include "io/concat.h"
#include "runtime/element_type.h"
#include "runtime/managed_tensor.h"
#include "runtime/turn.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::Status;

/// RAII: ends a run of the machine, in whatever way the session's run ends.
class MachineRun {
 public:
  explicit MachineRun(Machine& machine) : machine_(machine) {}
  ~MachineRun() { machine_.end_run(); }
  MachineRun(const MachineRun&) = delete;
  MachineRun& operator=(const MachineRun&) = delete;

 private:
  Machine& machine_;
};

/// Releases the outputs of a run, in whatever way it ends, unless it is done.
class Unfinished {
 public:
  explicit Unfinished(std::span<DLManagedTensor*> outputs) : outputs_(outputs) {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    for (DLManagedTensor*& output : outputs_)
      if (DLManagedTensor* made = std::exchange(output, nullptr)) made->deleter(made);
  }
  void done() { outputs_ = {}; }

 private:
  std::span<DLManagedTensor*> outputs_;
};

void fill_in(DLTensor& out, const Tensor& memory, const SignatureValue& value, ResultLayout& result) {
  out = {};
  out.data = cpu_address(memory.storage);
  out.device = {kDLCPU, 0};
  out.ndim = static_cast<int32_t>(result.shape.size());
  out.dtype = to_dlpack(value.type);
  out.shape = result.shape.data();
}

void copy_result(const Tensor& from, const Tensor& to, const SignatureValue& value, const ResultLayout& result) {
  if (result.bytes == 0) return;
  auto* bytes = static_cast<uint8_t*>(cpu_address(to.storage));
  std::memmove(bytes, cpu_address(from.storage), result.bytes);
  bytes[result.bytes - 1] &= static_cast<uint8_t>(~unused_bits(value.type, result.shape));
}

template <class Describe>
Status check_delivered(const SignatureValue& value, std::span<const int64_t> shape, const Describe& describe) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!value.dims[axis].symbol && value.dims[axis].size != shape[axis])
      return Status::error("E0911", concat(describe(), " has ", shape[axis], " elements along axis ", axis,
                                           ", expected ", value.dims[axis].size));
  return {};
}

}  // namespace

io::Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Model> model) {
  if (!model->code())
    return Status::error("E0914", "this model was loaded without code and cannot run",
                         "load it again without the option `without_code`");
  return std::unique_ptr<Session>(new Session(std::move(model)));
}

Session::Session(std::shared_ptr<const Model> model)
    : model_(std::move(model)), layouts_(model_->program().function_count()), machine_(*model_, layouts_) {}

io::Result<Layout*> Session::prepare(size_t function, std::span<const DLTensor> inputs) {
  const Signature& signature = model_->signatures()[function];
  shapes_.clear();
  arguments_.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    io::Result<InputArgument> input = check_input(signature, i, inputs[i]);
    if (!input.ok()) return input.status();
    arguments_.push_back(*input);
    if (signature.inputs[i].holds_sizes)
      SUNMAO_TRY(read_sizes(signature, i, inputs[i], shapes_));
    else
      shapes_.insert(shapes_.end(), inputs[i].shape, inputs[i].shape + inputs[i].ndim);
  }
  SUNMAO_TRY(prepare_states(signature));
  if (Layout* known = layouts_[function].find(shapes_)) return known;
  io::Result<Layout> made = make_layout(model_->program().tables(), model_->program().function(function), shapes_);
  if (!made.ok()) return made.status();
  machine_.forget_starts();
  return layouts_[function].insert(made.take());
}

/// Makes the states that the function reads ready, and inserts their shapes between those of inputs, in the order of
/// its parameters.
Status Session::prepare_states(const Signature& signature) {
  if (model_->states().empty()) return {};
  States& states = machine_.states();
  auto at = shapes_.begin();
  for (size_t p = 0; p < signature.state_of_param.size(); ++p) {
    if (const uint32_t input = signature.input_of_param[p]; input != abi::kNone)
      at += static_cast<std::ptrdiff_t>(signature.inputs[input].told().size());
    const uint32_t state = signature.state_of_param[p];
    if (state == abi::kNone) continue;
    SUNMAO_TRY(states.prepare(state));
    const std::span<const int64_t> shape = states.shape(state);
    at = shapes_.insert(at, shape.begin(), shape.end()) + static_cast<std::ptrdiff_t>(shape.size());
  }
  return {};
}

/// Checks that outputs in the caller's memory do not overlap each other (E0915), and marks each input that overlaps one
/// of them to be copied.
Status Session::separate(const Signature& signature) {
  for (size_t r = 0; r < results_.size(); ++r) {
    if (is_owned_[r]) continue;
    for (InputArgument& input : arguments_) input.needs_copy = input.needs_copy || overlap(input.tensor, results_[r]);
    for (size_t other = 0; other < r; ++other)
      if (!is_owned_[other] && overlap(results_[r], results_[other]))
        return Status::error("E0915", concat(describe_output(signature, r), " shares memory with output ", other),
                             "give each output memory of its own");
  }
  return {};
}

Status Session::execute(size_t function, Layout& layout, std::span<const DLTensor> inputs) {
  uint64_t size = layout.arena_bytes;
  const auto take = [&size](uint64_t bytes) {
    return std::exchange(size, size + align_up(std::max<uint64_t>(bytes, 1)));
  };
  inputs_.clear();
  for (const InputArgument& input : arguments_) {
    inputs_.push_back(input.tensor);
    if (input.needs_copy) inputs_.back().storage = {{}, kNoBlock, 0, take(input.tensor.bytes)};
  }
  const bool is_delivered = model_->signatures()[function].is_delivered;
  for (size_t r = 0; r < results_.size() && !is_delivered; ++r)
    if (is_owned_[r]) results_[r] = {{{}, kNoBlock, 0, take(layout.results[r].bytes)}, layout.results[r].bytes};
  SUNMAO_TRY(arena_.reserve(size));
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!arguments_[i].needs_copy) continue;
    inputs_[i].storage = arena_.storage().at(inputs_[i].storage.offset);
    copy_strided(inputs[i], static_cast<std::byte*>(cpu_address(inputs_[i].storage)));
  }
  for (size_t r = 0; r < results_.size() && !is_delivered; ++r)
    if (is_owned_[r]) results_[r].storage = arena_.storage().at(results_[r].storage.offset);

  return machine_.run({function, layout, arena_.storage(), inputs_, results_}, threads());
}

uint32_t Session::threads() const {
  const uint32_t limit = model_->thread_limit();
  return limit ? std::min(limit, thread_count()) : thread_count();
}

Status Session::run_kernel(uint32_t kernel, std::span<void* const> buffers, std::span<const int64_t> dims) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  const ProgramTables& tables = model_->program().tables();
  const abi::KernelRecord& record = tables.kernels[kernel];
  if (buffers.size() != record.buffer_count || dims.size() != record.dim_count)
    return Status::error("E0902",
                         concat("kernel ", io::quoted(tables.text(record.name)), ": ", buffers.size(), " buffers and ",
                                dims.size(), " dims given, expected ", record.buffer_count, " and ", record.dim_count));
  return machine_.run_kernel(kernel, buffers.data(), dims.data(), threads());
}

Status Session::set_host_function(std::string_view name, HostFunction function) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  return machine_.set_host_function(name, function);
}

Status Session::set_stop(StopQuestion question) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  machine_.set_stop(question);
  return {};
}

Status Session::start_profile(uint64_t max_events) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  profile_ = std::make_unique<Profile>(model_->program(), max_events);
  is_profiled_ = true;
  machine_.set_profile(profile_.get());
  return {};
}

Status Session::stop_profile() {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  is_profiled_ = false;
  machine_.set_profile(nullptr);
  return {};
}

Status Session::run(size_t function, std::span<const DLTensor> inputs, std::span<DLTensor> outputs) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  const ProfiledRun timed(running_profile());
  const Signature& signature = model_->signatures()[function];
  SUNMAO_TRY(check_counts(signature, inputs.size(), outputs.size()));
  io::Result<Layout*> prepared = prepare(function, inputs);
  if (!prepared.ok()) return prepared.status();
  Layout& layout = **prepared;
  results_.assign(outputs.size(), {});
  is_owned_.assign(outputs.size(), true);
  for (size_t r = 0; r < outputs.size(); ++r) {
    if (!outputs[r].data) continue;
    const ResultLayout* known = signature.is_delivered ? nullptr : &layout.results[r];
    io::Result<Tensor> given = check_output(signature, r, known, outputs[r]);
    if (!given.ok()) return given.status();
    results_[r] = *given;
    is_owned_[r] = false;
  }
  SUNMAO_TRY(separate(signature));
  const MachineRun running(machine_);
  SUNMAO_TRY(execute(function, layout, inputs));
  if (signature.is_delivered) SUNMAO_TRY(hand_over(signature, outputs));
  SUNMAO_TRY(machine_.keep_states());
  std::vector<ResultLayout>& layouts = signature.is_delivered ? learned_ : layout.results;
  for (size_t r = 0; r < outputs.size(); ++r)
    if (is_owned_[r]) fill_in(outputs[r], results_[r], signature.outputs[r], layouts[r]);
  return {};
}

Status Session::learn_sizes(const Signature& signature) {
  const Delivered& delivered = machine_.delivered();
  learned_.resize(signature.outputs.size());
  std::span<const int64_t> sizes = delivered.sizes;
  const auto take = [&sizes](const SignatureValue& value) {
    return std::exchange(sizes, sizes.subspan(value.dims.size())).first(value.dims.size());
  };
  for (size_t r = 0; r < learned_.size(); ++r) {
    const std::span<const int64_t> shape = take(signature.outputs[r]);
    learned_[r].shape.assign(shape.begin(), shape.end());
    learned_[r].bytes = delivered.tensors[r].bytes;
    SUNMAO_TRY(check_delivered(signature.outputs[r], shape, [&] { return describe_output(signature, r); }));
  }
  for (const uint32_t s : signature.states_given)
    SUNMAO_TRY(check_delivered(model_->states()[s], take(model_->states()[s]), [&] {
      return concat("function ", io::quoted(signature.name), ": ", describe_state(*model_, s));
    }));
  return {};
}

Status Session::hand_over(const Signature& signature, std::span<DLTensor> outputs) {
  SUNMAO_TRY(learn_sizes(signature));
  const std::vector<Tensor>& delivered = machine_.delivered().tensors;
  uint64_t copied = 0;
  const auto is_foreign = [&](size_t r) { return is_owned_[r] && delivered[r].storage.block == kNoBlock; };
  for (size_t r = 0; r < outputs.size(); ++r) {
    if (is_foreign(r)) copied += align_up(learned_[r].bytes);
    if (!is_owned_[r]) SUNMAO_TRY(check_output(signature, r, &learned_[r], outputs[r]).status());
  }
  SUNMAO_TRY(copies_.reserve(copied));
  copied = 0;
  for (size_t r = 0; r < outputs.size(); ++r) {
    if (is_foreign(r))
      results_[r] = {copies_.storage().at(std::exchange(copied, copied + align_up(learned_[r].bytes)))};
    const bool is_copied = is_foreign(r) || !is_owned_[r];
    if (is_copied) copy_result(delivered[r], results_[r], signature.outputs[r], learned_[r]);
    if (!is_copied) results_[r] = delivered[r];
  }
  return {};
}

Status Session::run_managed(size_t function, std::span<const DLTensor> inputs, std::span<DLManagedTensor*> outputs) {
  std::fill(outputs.begin(), outputs.end(), nullptr);
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  const ProfiledRun timed(running_profile());
  const Signature& signature = model_->signatures()[function];
  SUNMAO_TRY(check_counts(signature, inputs.size(), outputs.size()));
  io::Result<Layout*> prepared = prepare(function, inputs);
  if (!prepared.ok()) return prepared.status();
  Layout& layout = **prepared;
  results_.assign(outputs.size(), {});
  is_owned_.assign(outputs.size(), false);
  const MachineRun running(machine_);
  Unfinished unfinished(outputs);
  SUNMAO_TRY(signature.is_delivered ? run_to_managed(function, layout, inputs, outputs)
                                    : run_in_managed(function, layout, inputs, outputs));
  unfinished.done();
  return {};
}

Status Session::run_in_managed(size_t function, Layout& layout, std::span<const DLTensor> inputs,
                               std::span<DLManagedTensor*> outputs) {
  SUNMAO_TRY(make_outputs(model_->signatures()[function], outputs, layout.results));
  return execute(function, layout, inputs);
}

Status Session::run_to_managed(size_t function, Layout& layout, std::span<const DLTensor> inputs,
                               std::span<DLManagedTensor*> outputs) {
  const Signature& signature = model_->signatures()[function];
  SUNMAO_TRY(execute(function, layout, inputs));
  SUNMAO_TRY(learn_sizes(signature));
  SUNMAO_TRY(make_outputs(signature, outputs, learned_));
  for (size_t r = 0; r < outputs.size(); ++r)
    copy_result(machine_.delivered().tensors[r], results_[r], signature.outputs[r], learned_[r]);
  return machine_.keep_states();
}

Status Session::make_outputs(const Signature& signature, std::span<DLManagedTensor*> outputs,
                             std::span<const ResultLayout> layouts) {
  uint64_t bytes = 0;
  for (const ResultLayout& result : layouts) bytes += managed_bytes(result);
  blocks_->keep_up_to(bytes);
  for (size_t r = 0; r < outputs.size(); ++r) {
    io::Result<DLManagedTensor*> made = make_managed_tensor(signature.outputs[r].type, layouts[r], blocks_);
    if (!made.ok()) return made.status();
    outputs[r] = *made;
    results_[r] = {cpu_storage(outputs[r]->dl_tensor.data), layouts[r].bytes};
  }
  return {};
}

}  // namespace sunmao::runtime
