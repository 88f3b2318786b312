// C API functions that describe a model and its signatures.
#include <cstring>

#include "io/concat.h"
#include "runtime/c_errors.h"
#include "runtime/c_handles.h"
#include "runtime/element_type.h"
#include "runtime/layout.h"

namespace {

using sunmao::io::concat;
using sunmao::io::Status;
using sunmao::runtime::answer;
using sunmao::runtime::null_argument;
using sunmao::runtime::Signature;
using sunmao::runtime::SignatureValue;

const Signature* find(const sunmao_model* model, size_t function) {
  if (!model || function >= model->model->entries().size()) return nullptr;
  return &model->model->entries()[function];
}

int describe_value(const std::vector<SignatureValue>& values, size_t index, sunmao_value_info* info) {
  if (!info || index >= values.size()) return 1;
  const SignatureValue& value = values[index];
  *info = {value.name.c_str(), value.dtype_name.c_str(), sunmao::runtime::to_dlpack(value.type),
           static_cast<int32_t>(value.dims.size()), value.dims.data()};
  return 0;
}

Status find_memory(const sunmao_model& model, size_t function, std::span<const int64_t> sizes,
                   sunmao_memory_info& info) {
  const Signature* signature = find(&model, function);
  if (!signature) return Status::error("E0901", concat("there is no function ", function));
  size_t expected = 0;
  for (const SignatureValue& input : signature->inputs) expected += input.told().size();
  if (sizes.size() != expected)
    return Status::error("E0902", concat("function ", sunmao::io::quoted(signature->name), ": ", sizes.size(),
                                         " sizes given, expected ", expected));
  const sunmao::runtime::Program& program = model.model->program();
  const sunmao::runtime::FunctionView view = program.function(function);
  std::vector<int64_t> all;
  for (const auto& param : view.params) {
    if (sunmao::runtime::binds_weight(param)) continue;
    const bool is_input = !sunmao::runtime::binds_state(param);
    const auto shape = is_input ? sizes.first(param.rank)
                                : program.tables().shape(program.tables().states[sunmao::runtime::state_of(param)]);
    all.insert(all.end(), shape.begin(), shape.end());
    if (is_input) sizes = sizes.subspan(param.rank);
  }
  const auto layout = sunmao::runtime::make_layout(program.tables(), view, all);
  if (!layout.ok()) return layout.status();
  info = {layout->arena_bytes, layout->live_bytes};
  return {};
}

}  // namespace

const char* sunmao_model_isa(const sunmao_model* model) { return model ? model->model->isa().c_str() : nullptr; }

const char* sunmao_model_manifest(const sunmao_model* model) {
  return model ? model->model->manifest_text().c_str() : nullptr;
}

size_t sunmao_function_count(const sunmao_model* model) { return model ? model->model->entries().size() : 0; }

const char* sunmao_function_name(const sunmao_model* model, size_t function) {
  const Signature* signature = find(model, function);
  return signature ? signature->name.c_str() : nullptr;
}

int64_t sunmao_find_function(const sunmao_model* model, const char* name) {
  if (!model || !name) return -1;
  for (size_t i = 0; i < model->model->entries().size(); ++i)
    if (model->model->entries()[i].name == name) return static_cast<int64_t>(i);
  return -1;
}

size_t sunmao_host_function_count(const sunmao_model* model) {
  return model ? model->model->host_functions().size() : 0;
}

const char* sunmao_host_function_name(const sunmao_model* model, size_t index) {
  return index < sunmao_host_function_count(model) ? model->model->host_functions()[index].c_str() : nullptr;
}

size_t sunmao_input_count(const sunmao_model* model, size_t function) {
  const Signature* signature = find(model, function);
  return signature ? signature->inputs.size() : 0;
}

size_t sunmao_output_count(const sunmao_model* model, size_t function) {
  const Signature* signature = find(model, function);
  return signature ? signature->outputs.size() : 0;
}

int sunmao_input_info(const sunmao_model* model, size_t function, size_t input, sunmao_value_info* info) {
  const Signature* signature = find(model, function);
  return signature ? describe_value(signature->inputs, input, info) : 1;
}

size_t sunmao_input_sizes(const sunmao_model* model, size_t function, size_t input, const sunmao_dim** sizes) {
  const Signature* signature = find(model, function);
  if (!sizes || !signature || input >= signature->inputs.size() || !signature->inputs[input].holds_sizes) return 0;
  *sizes = signature->inputs[input].sizes.data();
  return signature->inputs[input].sizes.size();
}

int sunmao_output_info(const sunmao_model* model, size_t function, size_t output, sunmao_value_info* info) {
  const Signature* signature = find(model, function);
  return signature ? describe_value(signature->outputs, output, info) : 1;
}

int sunmao_function_memory(const sunmao_model* model, size_t function, const int64_t* sizes, size_t size_count,
                           sunmao_memory_info* info, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!info) return null_argument("sunmao_function_memory", "info");
    *info = {};
    if (!model) return null_argument("sunmao_function_memory", "model");
    if (!sizes && size_count > 0) return null_argument("sunmao_function_memory", "sizes");
    return find_memory(*model, function, {sizes, size_count}, *info);
  });
}
