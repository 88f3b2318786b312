// What a shared object of a model has besides the runtime: it loads the artifact that is linked with it, and runs
// functions on plain pointers. abi/shared_object.h says what generated code passes.
#include "abi/shared_object.h"

#include <cstring>

#include "io/concat.h"
#include "runtime/c_errors.h"

namespace sunmao::runtime {
namespace {

static_assert(sizeof(DLTensor) == SUNMAO_OBJECT_TENSOR_BYTES);

/// Reads the words of a function, value by value.
class ObjectValues {
 public:
  explicit ObjectValues(const int64_t* words) : inputs(words[0]), outputs(words[1]), sizes(words[2]), at_(words + 3) {}

  struct ObjectValue {
    DLDataType dtype;
    int32_t rank;
    const int64_t* dims;
  };
  ObjectValue next() {
    const auto type = static_cast<uint64_t>(at_[0]);
    const auto rank = static_cast<int32_t>(at_[1]);
    const ObjectValue value = {
        {static_cast<uint8_t>(type), static_cast<uint8_t>(type >> 8), static_cast<uint16_t>(type >> 16)},
        rank,
        at_ + 2};
    at_ += 2 + rank;
    return value;
  }

  const int64_t inputs, outputs, sizes;

 private:
  const int64_t* at_;
};

/// The runtime only reads the shape of a tensor that has memory.
DLTensor object_tensor(const ObjectValues::ObjectValue& value, const sunmao_object_tensor& given) {
  DLTensor out = {given.data, {kDLCPU, 0}, value.rank, value.dtype, nullptr, nullptr, 0};
  std::memcpy(&out.shape, &given.shape, sizeof(out.shape));
  return out;
}

}  // namespace
}  // namespace sunmao::runtime

using namespace sunmao;

extern "C" {

/// Loads the artifact and makes a session, which keeps it loaded.
int sunmao_object_load(sunmao_session** session, sunmao_error* error) {
  if (!session) return runtime::report(runtime::null_argument("load", "session"), error);
  *session = nullptr;
  sunmao_model* model = nullptr;
  int status = sunmao_load_memory(sunmao_object_model.data, sunmao_object_model.size, nullptr, &model, error);
  if (status == 0) status = sunmao_session_create(model, session, error);
  sunmao_model_free(model);
  return status;
}

int sunmao_object_call(sunmao_session* session, const sunmao_object_function* function,
                       const sunmao_object_tensor* inputs, sunmao_object_tensor* outputs, void* scratch,
                       sunmao_error* error) {
  runtime::ObjectValues values(function->words);
  if (!inputs && values.inputs > 0) return runtime::report(runtime::null_argument("call", "inputs"), error);
  if (!outputs && values.outputs > 0) return runtime::report(runtime::null_argument("call", "outputs"), error);
  auto* const tensors = static_cast<DLTensor*>(scratch);
  DLTensor* const results = tensors + values.inputs;
  for (int64_t i = 0; i < values.inputs; ++i) tensors[i] = runtime::object_tensor(values.next(), inputs[i]);
  for (int64_t i = 0; i < values.outputs; ++i) results[i] = runtime::object_tensor(values.next(), outputs[i]);
  const int status = sunmao_run(session, function->name, tensors, static_cast<size_t>(values.inputs), results,
                                static_cast<size_t>(values.outputs), error);
  if (status != 0) return status;
  for (int64_t i = 0; i < values.outputs; ++i) outputs[i] = {results[i].data, results[i].shape};
  return 0;
}

int sunmao_object_run(sunmao_session* session, const sunmao_object_function* function, const uint64_t* arguments,
                      void* scratch, sunmao_error* error) {
  runtime::ObjectValues values(function->words);
  const int64_t count = values.inputs + values.outputs;
  auto* const given = static_cast<sunmao_object_tensor*>(scratch);
  auto* shape = reinterpret_cast<int64_t*>(given + count);
  for (int64_t i = 0; i < count; ++i) {
    const runtime::ObjectValues::ObjectValue value = values.next();
    std::memcpy(&given[i].data, &arguments[values.sizes + i], sizeof(void*));
    given[i].shape = shape;
    bool is_empty = false;
    for (int32_t d = 0; d < value.rank; ++d) {
      *shape = value.dims[d] >= 0 ? value.dims[d] : static_cast<int64_t>(arguments[-1 - value.dims[d]]);
      is_empty |= *shape++ == 0;
    }
    if (!given[i].data && !is_empty)
      return runtime::report(io::Status::error("E0900",
                                               io::concat("function ", io::quoted(function->name), ": ",
                                                          i < values.inputs ? "input " : "output ",
                                                          i < values.inputs ? i : i - values.inputs, " is NULL"),
                                               "the plain form takes memory of the caller for every input and output"),
                             error);
  }
  return sunmao_object_call(session, function, given, given + values.inputs, shape, error);
}

}  // extern "C"
