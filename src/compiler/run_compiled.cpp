#include "compiler/run_compiled.h"

#include <algorithm>

#include "compiler/build.h"
#include "compiler/dlpack_view.h"
#include "compiler/runtime_handles.h"

namespace sunmao {
namespace {

Array of_sizes(std::vector<int64_t> shape, const std::vector<int64_t>& sizes) {
  ArrayBuilder builder(DType::int_(64), std::move(shape));
  std::ranges::copy(sizes, builder.as<int64_t>().begin());
  return std::move(builder).finish();
}

void flatten(const Value& value, std::vector<Array>& out) {
  if (const ShapeValue* shape = value.shape()) out.push_back(of_sizes({static_cast<int64_t>(shape->size())}, *shape));
  if (const auto* number = std::get_if<int64_t>(&value.v)) out.push_back(of_sizes({}, {*number}));
  if (const Array* a = value.array()) out.push_back(*a);
  if (const ValueTuple* t = value.tuple())
    for (const Value& v : *t) flatten(v, out);
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
  const io::Bytes artifact = build_in_memory(module, {.entries = {function}}, options);
  const ModelHandle model = load_model(artifact, SUNMAO_LOAD_OPTIONS_INIT);
  const SessionHandle session = create_session(model);

  std::vector<Array> arrays;
  for (const Value& v : args) flatten(v, arrays);
  std::vector<std::vector<int64_t>> shapes(arrays.size());
  std::vector<DLTensor> inputs;
  for (size_t i = 0; i < arrays.size(); ++i) inputs.push_back(dlpack_view(arrays[i], shapes[i]));
  std::vector<DLManagedTensor*> outputs(sunmao_output_count(model.get(), 0));
  sunmao_error error;
  if (sunmao_run_managed(session.get(), function.c_str(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                         &error))
    fail_with(error);
  ValueTuple results;
  for (DLManagedTensor* o : outputs) results.emplace_back(adopt(o));
  return results;
}

}  // namespace sunmao
