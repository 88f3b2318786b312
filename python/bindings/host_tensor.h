// HostTensor: a tensor in memory with an owner: an array of another library, a result, a weight. It is the class of
// tensors at the border between C++ and Python.
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
  std::vector<int64_t> strides;  // in elements; empty: contiguous and row-major
  void* data = nullptr;
  int64_t offset = 0;        // how many bytes of the memory precede `data`
  bool is_writable = false;  // true for results and arrays of Python, false for weights and constants
  bool is_fixed = false;     // true for memory that nothing changes while it is owned
  DLDevice device = {kDLCPU, 0};
  std::shared_ptr<const void> owner;

  static HostTensor of(const Array& array);
  /// The same for data of the IR and of files, which nothing changes.
  static HostTensor fixed(const Array& array);
  /// Takes ownership of `tensor`.
  static HostTensor take(DLManagedTensor* tensor);
  /// Returns the data as an Array: shared when contiguous, else copied.
  Array array() const;
  bool is_contiguous() const;
  /// Returns a view, valid as long as `this`.
  DLTensor view() const;
};

}  // namespace sunmao::python
