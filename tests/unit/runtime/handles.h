// RAII owners of C API handles, and tensors to pass to it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sunmao/runtime.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {

struct FreeModel {
  void operator()(sunmao_model* model) const { sunmao_model_free(model); }
};
struct FreeSession {
  void operator()(sunmao_session* session) const { sunmao_session_free(session); }
};
using ModelHandle = std::unique_ptr<sunmao_model, FreeModel>;
using SessionHandle = std::unique_ptr<sunmao_session, FreeSession>;

/// Loads bytes that outlive the model; returns null and sets *error on failure.
inline ModelHandle load(const std::string& artifact, sunmao_error* error = nullptr,
                        const sunmao_load_options* options = nullptr) {
  sunmao_model* model = nullptr;
  sunmao_load_memory(artifact.data(), artifact.size(), options, &model, error);
  return ModelHandle(model);
}

inline SessionHandle open(const ModelHandle& model) {
  sunmao_session* session = nullptr;
  sunmao_session_create(model.get(), &session, nullptr);
  return SessionHandle(session);
}

/// A float32 tensor with its memory.
struct Floats {
  Floats(std::vector<int64_t> shape_, std::vector<float> data_) : shape(std::move(shape_)), data(std::move(data_)) {}
  explicit Floats(std::vector<int64_t> shape_) : shape(std::move(shape_)) {
    size_t count = 1;
    for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
    data.resize(count);
  }
  DLTensor tensor() {
    DLTensor t = {};
    t.data = data.data();
    t.device = {kDLCPU, 0};
    t.ndim = static_cast<int32_t>(shape.size());
    t.dtype = {kDLFloat, 32, 1};
    t.shape = shape.data();
    return t;
  }
  std::vector<int64_t> shape;
  std::vector<float> data;
};

/// Returns the elements of a row-major float32 tensor.
inline std::vector<float> values(const DLTensor& tensor) {
  size_t count = 1;
  for (int32_t axis = 0; axis < tensor.ndim; ++axis) count *= static_cast<size_t>(tensor.shape[axis]);
  const auto* data = static_cast<const float*>(tensor.data);
  return {data, data + count};
}

}  // namespace sunmao::runtime::testing
