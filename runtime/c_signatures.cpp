// C API functions that describe a model and its signatures.
#include <cstring>

#include "runtime/c_handles.h"
#include "runtime/element_type.h"

namespace {

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

int sunmao_output_info(const sunmao_model* model, size_t function, size_t output, sunmao_value_info* info) {
  const Signature* signature = find(model, function);
  return signature ? describe_value(signature->outputs, output, info) : 1;
}
