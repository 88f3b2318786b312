#include "compiler/compiled_executor.h"

#include <sunmao/runtime.h>

#include <memory>

#include "compiler/build.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

[[noreturn]] void fail_with(const sunmao_error& error) { fail(error.code, {}, error.message, error.help); }

using ModelHandle = std::unique_ptr<sunmao_model, decltype(&sunmao_model_free)>;
using SessionHandle = std::unique_ptr<sunmao_session, decltype(&sunmao_session_free)>;

void flatten(const Value& value, std::vector<Array>& out) {
  if (const Array* a = value.array()) out.push_back(*a);
  if (const ValueTuple* t = value.tuple())
    for (const Value& v : *t) flatten(v, out);
}

// A view of an array for the call. DLPack has no const, and inputs are only read.
DLTensor view_of(const Array& a, std::vector<int64_t>& shape) {
  shape = a.shape();
  auto address = std::bit_cast<void*>(a.data());
  return {.data = address,
          .device = {kDLCPU, 0},
          .ndim = static_cast<int32_t>(a.rank()),
          .dtype = {static_cast<uint8_t>(a.dtype().code), a.dtype().bits, a.dtype().lanes},
          .shape = shape.data(),
          .strides = nullptr,
          .byte_offset = 0};
}

Array adopt(DLManagedTensor* managed) {
  const DLTensor& t = managed->dl_tensor;
  std::shared_ptr<const void> owner(managed, [](DLManagedTensor* tensor) {
    if (tensor->deleter) tensor->deleter(tensor);
  });
  DType dtype{static_cast<TypeCode>(t.dtype.code), t.dtype.bits, t.dtype.lanes};
  const auto* data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  return Array::wrap(dtype, {t.shape, t.shape + t.ndim}, data, std::move(owner));
}

}  // namespace

Value run_compiled(const Module& module, const std::string& function, const std::vector<Value>& args,
                   const CompileOptions& options) {
  io::Bytes artifact = io::join(build_artifact(module, {.entries = {function}, .bound = {}}, options));
  sunmao_error error;
  sunmao_model* raw_model = nullptr;
  if (sunmao_load_memory(artifact.data(), artifact.size(), nullptr, &raw_model, &error)) fail_with(error);
  ModelHandle model(raw_model, sunmao_model_free);
  sunmao_session* raw_session = nullptr;
  if (sunmao_session_create(model.get(), &raw_session, &error)) fail_with(error);
  SessionHandle session(raw_session, sunmao_session_free);

  std::vector<Array> arrays;
  for (const Value& v : args) flatten(v, arrays);
  std::vector<std::vector<int64_t>> shapes(arrays.size());
  std::vector<DLTensor> inputs;
  for (size_t i = 0; i < arrays.size(); ++i) inputs.push_back(view_of(arrays[i], shapes[i]));
  std::vector<DLManagedTensor*> outputs(sunmao_output_count(model.get(), 0));
  if (sunmao_run_managed(session.get(), function.c_str(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                         &error))
    fail_with(error);
  ValueTuple results;
  for (DLManagedTensor* o : outputs) results.emplace_back(adopt(o));
  return results;
}

}  // namespace sunmao
