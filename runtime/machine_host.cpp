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

Status failure(std::string_view caller, std::string_view name, std::string_view message, std::string help) {
  if (help.empty()) help = "the program that runs the model has this function";
  return Status::error("E0923",
                       concat("function ", quoted(caller), ": the host's function ", quoted(name), " failed",
                              message.empty() ? "" : ": ", message),
                       std::move(help));
}

}  // namespace

Status Machine::set_host_function(std::string_view name, HostFunction function) {
  const auto is_called_so = [&](size_t i) { return functions_[i].is_host() && functions_[i].host_name() == name; };
  std::vector<std::shared_ptr<const OpForm>> forms;  // of a kernel
  bool is_known = false;
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (!is_called_so(i)) continue;
    is_known = true;
    if (function.op && !forms.emplace_back(OpForm::read(functions_[i])))
      return Status::error(
          "E0927",
          concat("the model calls ", quoted(name), " in a form that is none of a kernel: ", functions_[i].name),
          "register it by sunmao_register_function, as a function that makes its results");
  }
  if (!is_known) {
    std::string names;
    for (const std::string& known : model_.host_functions()) names += (names.empty() ? "" : ", ") + quoted(known);
    return Status::error("E0901", concat("the model calls no function ", quoted(name), " of the host"),
                         names.empty() ? std::string("it calls none") : "it calls " + names);
  }
  auto form = forms.begin();
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (!is_called_so(i)) continue;
    hosts_[i].function = function;
    hosts_[i].op_form = function.op ? std::move(*form++) : nullptr;
  }
  return {};
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
  if (!host.function.call && !host.function.op) {
    const std::string_view giver = OpForm::read(view) ? "sunmao_register_op" : "sunmao_register_function";
    return Status::error("E0924",
                         concat("function ", quoted(caller.view->name), ": it calls ", quoted(view.host_name()),
                                ", a function of the host, and there is none"),
                         concat("give it to the session: ", giver, "(session, \"", view.host_name(),
                                "\", ...); it is called as ", view.name));
  }
  const size_t first = caller.params + (caller.view->is_inner ? caller.view->params.size() : 0);
  if (!pass(callee.words, now(), first).is_valid) return negative_size(view);
  list_inputs(view, {params_.data() + first, view.params.size()});
  delivered_.tensors.clear();
  delivered_.sizes.clear();
  SUNMAO_TRY(host.function.op ? run_op(view, host) : run_host(view, host));
  delivered_from_ = &view;
  delivered_by_ = nullptr;
  delivered_at_ = nullptr;
  if (callee.next) return start({.words = callee.next}, at);
  SUNMAO_TRY(check_host_sizes(view, callee.results));
  return write_results(callee.results, view);
}

void Machine::list_inputs(const FunctionView& view, std::span<const Tensor> args) {
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
}

Status Machine::run_host(const FunctionView& view, const RegisteredFunction& host) {
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
  if (host.function.call(host.function.data, &call) != 0) {
    // A function may have filled the texts to their ends.
    error.message[sizeof(error.message) - 1] = error.help[sizeof(error.help) - 1] = '\0';
    return failure(caller, view.host_name(), error.message, error.help);
  }
  for (size_t r = 0; r < view.results.size(); ++r) SUNMAO_TRY(take_result(view, r, host_outputs_[r]));
  return {};
}

Status Machine::run_op(const FunctionView& view, const RegisteredFunction& host) {
  op_inputs_.clear();
  op_outputs_.clear();
  op_values_.clear();
  const DLTensor* given = host_inputs_.data();
  for (const OpForm::Argument& a : host.op_form->arguments()) {
    if (a.is_literal()) {
      op_values_.push_back(a.value());
      continue;
    }
    const DLTensor& input = *given++;
    if (a.kind == OpForm::Kind::Tensor) {
      op_inputs_.push_back(input);
      continue;
    }
    auto* sizes = static_cast<int64_t*>(input.data);
    const auto count = static_cast<size_t>(input.shape[0]);
    if (a.kind == OpForm::Kind::Integers) {
      op_values_.push_back({sizes, count, count == 1 ? static_cast<double>(sizes[0]) : 0, nullptr});
      continue;
    }
    const abi::ValueRecord& result = view.results[op_outputs_.size()];
    const std::optional<uint64_t> bytes = byte_size(result.type, {sizes, count});
    if (!bytes) return negative_size(view);
    SUNMAO_TRY(make_result({sizes, count}, *bytes));
    op_outputs_.push_back({cpu_address(delivered_.tensors.back().storage),
                           {kDLCPU, 0},
                           static_cast<int32_t>(count),
                           to_dlpack(result.type),
                           sizes,
                           nullptr,
                           0});
  }
  const char* why = nullptr;
  const sunmao_op_call call = {sizeof(call),       op_inputs_.data(), op_inputs_.size(), op_outputs_.data(),
                               op_outputs_.size(), op_values_.data(), op_values_.size(), &why};
  if (host.function.op(host.function.data, &call) == 0) return {};
  return failure(activations_.back().view->name, view.host_name(), why ? why : "", "");
}

Status Machine::make_result(std::span<const int64_t> shape, uint64_t bytes) {
  uint32_t block = kNoBlock;
  SUNMAO_TRY(take_block(bytes, block));
  delivered_.tensors.push_back({blocks_.storage(block), bytes});
  delivered_.tensors.back().storage.block = block;
  delivered_.sizes.insert(delivered_.sizes.end(), shape.begin(), shape.end());
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
  SUNMAO_TRY(make_result(shape, *bytes));
  if (*bytes > 0) copy_strided(tensor, static_cast<std::byte*>(cpu_address(delivered_.tensors.back().storage)));
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
