// The part of the machine that calls functions of the host.
#include <utility>

#include "abi/packed_elements.h"
#include "io/concat.h"
#include "runtime/call_arguments.h"
#include "runtime/element_type.h"
#include "runtime/instruction.h"
#include "runtime/machine.h"

namespace sunmao::runtime {

using io::concat;
using io::quoted;
using io::Status;

namespace {

/// Releases what a function of the host has made.
class Outputs {
 public:
  explicit Outputs(std::span<DLManagedTensor*> tensors) : tensors_(tensors) {}
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  ~Outputs() {
    for (DLManagedTensor* tensor : tensors_)
      if (tensor && tensor->deleter) tensor->deleter(tensor);
  }

 private:
  const std::span<DLManagedTensor*> tensors_;
};

Status failure(std::string_view caller, std::string_view name, sunmao_error& error) {
  // A function may have filled the texts to their ends.
  error.message[sizeof(error.message) - 1] = error.help[sizeof(error.help) - 1] = '\0';
  const std::string_view message = error.message;
  return Status::error("E0923",
                       concat("function ", quoted(caller), ": the host's function ", quoted(name), " failed",
                              message.empty() ? "" : ": ", message),
                       error.help[0] ? error.help : "the program that runs the model has this function");
}

}  // namespace

bool Machine::set_host_function(std::string_view name, HostFunction function) {
  bool is_known = false;
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (!functions_[i].is_host() || functions_[i].host_name() != name) continue;
    hosts_[i].call = function.call;
    hosts_[i].data = function.data;
    is_known = true;
  }
  return is_known;
}

void Machine::share_host(const Machine& other) {
  hosts_ = other.hosts_;
  stop_ = other.stop_;
}

Status Machine::call_host(const Callee& callee, const uint32_t* at) {
  const FunctionView& view = functions_[callee.words[0]];
  const RegisteredFunction& host = hosts_[callee.words[0]];
  Activation& caller = activations_.back();
  caller.at = at;
  if (!host.call)
    return Status::error(
        "E0924",
        concat("function ", quoted(caller.view->name), ": it calls ", quoted(view.host_name()),
               ", a function of the host, and there is none"),
        concat("give it to the session: sunmao_register_function(session, \"", view.host_name(), "\", ...)"));
  const size_t first = caller.params + (caller.view->is_inner ? caller.view->params.size() : 0);
  if (!pass(callee.words, now(), first).is_valid) return negative_size(view);
  SUNMAO_TRY(run_host(view, host, {params_.data() + first, view.params.size()}));
  delivered_from_ = &view;
  delivered_by_ = nullptr;
  delivered_at_ = nullptr;
  if (callee.next) return start({.words = callee.next}, at);
  SUNMAO_TRY(check_host_sizes(view, callee.results));
  return write_results(callee.results, view);
}

Status Machine::run_host(const FunctionView& view, const RegisteredFunction& host, std::span<const Tensor> args) {
  host_inputs_.clear();
  host_counts_.resize(args.size());
  int64_t* sizes = shapes_.data();
  for (size_t p = 0; p < args.size(); ++p) {
    const abi::ValueRecord& param = view.params[p];
    DLTensor& input = host_inputs_.emplace_back();
    input = {cpu_address(args[p].storage),
             {kDLCPU, 0},
             static_cast<int32_t>(param.rank),
             to_dlpack(param.type),
             sizes,
             nullptr,
             0};
    sizes += param.rank;
    if (!is_sizes(param.type)) continue;
    host_counts_[p] = param.rank;
    input.data = std::exchange(input.shape, &host_counts_[p]);
    input.ndim = 1;
    input.dtype = to_dlpack(kSizeType);
  }
  host_outputs_.assign(view.results.size(), nullptr);
  const Outputs outputs(host_outputs_);
  sunmao_error error = {};
  const sunmao_host_call call = {sizeof(call),
                                 host.form.c_str(),
                                 host_inputs_.data(),
                                 host_inputs_.size(),
                                 host_outputs_.data(),
                                 host_outputs_.size(),
                                 &error};
  const std::string_view caller = activations_.back().view->name;
  if (host.call(host.data, &call) != 0) return failure(caller, view.host_name(), error);
  delivered_.tensors.clear();
  delivered_.sizes.clear();
  for (size_t r = 0; r < view.results.size(); ++r) SUNMAO_TRY(take_result(view, r, host_outputs_[r]));
  return {};
}

Status Machine::take_result(const FunctionView& view, size_t result, const DLManagedTensor* given) {
  const auto fail = [&](const std::string& problem) {
    return Status::error("E0923",
                         concat("function ", quoted(activations_.back().view->name), ": result ", result,
                                " of the host's function ", quoted(view.host_name()), problem),
                         concat("it is called as ", view.name));
  };
  const abi::ValueRecord& expected = view.results[result];
  if (!given) return fail(" is missing");
  const DLTensor& tensor = given->dl_tensor;
  if (!same_type(from_dlpack(tensor.dtype), expected.type))
    return fail(concat(" is ", to_string(from_dlpack(tensor.dtype)), ", expected ", to_string(expected.type)));
  if (tensor.ndim != static_cast<int32_t>(expected.rank) || (tensor.ndim > 0 && !tensor.shape))
    return fail(concat(" has rank ", tensor.ndim, ", expected ", expected.rank));
  if (tensor.device.device_type != kDLCPU) return fail(" is not in the memory of the CPU");
  const std::span<const int64_t> shape(tensor.shape, expected.rank);
  const std::optional<uint64_t> bytes = byte_size(expected.type, shape);
  if (!bytes || (*bytes > 0 && !tensor.data)) return fail(" is no tensor");
  if (tensor.strides && abi::is_packed(expected.type.bits) && !is_contiguous(tensor))
    return fail(concat(" has strides, which ", to_string(expected.type), " cannot have"));
  uint32_t block = kNoBlock;
  SUNMAO_TRY(take_block(*bytes, block));
  if (*bytes > 0) copy_strided(tensor, static_cast<std::byte*>(cpu_address(blocks_.storage(block))));
  Tensor& copy = delivered_.tensors.emplace_back(Tensor{blocks_.storage(block), *bytes});
  copy.storage.block = block;
  delivered_.sizes.insert(delivered_.sizes.end(), shape.begin(), shape.end());
  return {};
}

/// Compares the sizes of what was delivered with those that the call states.
Status Machine::check_host_sizes(const FunctionView& view, const uint32_t* results) const {
  const int64_t* got = delivered_.sizes.data();
  for (size_t r = 0; r < view.results.size(); ++r) {
    ++results;
    for (uint32_t axis = 0; axis < view.results[r].rank; ++axis, ++got, ++results)
      if (const int64_t expected = activations_.back().layout->dims[*results]; *got != expected)
        return Status::error("E0923", concat("function ", quoted(activations_.back().view->name), ": result ", r,
                                             " of the host's function ", quoted(view.host_name()), " has ", *got,
                                             " elements along axis ", axis, ", expected ", expected));
  }
  return {};
}

}  // namespace sunmao::runtime
