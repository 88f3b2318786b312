// HostTensor: a tensor in memory that someone keeps alive: an array of another library, a result, a weight. It is what
// the extension takes and gives for arrays; nothing is copied on the way in or out.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "bindings/bindings.h"
#include "sunmao/runtime.h"
#include "support/array.h"

namespace sunmao::python {

struct HostTensor {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements; empty: C order without gaps
  void* data = nullptr;
  bool is_writable = false;  // Python may write to results and to what is its own, not to weights and constants
  DLDevice device = {kDLCPU, 0};
  std::shared_ptr<const void> owner;

  static HostTensor of(const Array& array);
  /// Takes `tensor` over.
  static HostTensor take(DLManagedTensor* tensor);
  /// The same data as an Array: shared where it is contiguous, else copied.
  Array array() const;
  bool is_contiguous() const;
  /// A view for one call; `this` outlives it.
  DLTensor view() const;
};

}  // namespace sunmao::python
