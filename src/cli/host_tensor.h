// HostTensor: memory for an input of a run, filled once and then only read.
#pragma once
#include <sunmao/runtime.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "support/array.h"

namespace sunmao::cli {

class HostTensor {
 public:
  /// Allocates zeroed memory, aligned to 64 bytes. Fails (E0002) when it exceeds the machine's memory.
  HostTensor(DType dtype, std::vector<int64_t> shape);
  /// Returns a tensor with a copy of `bytes`, which must be exactly its elements.
  static HostTensor copy_of(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);
  static HostTensor copy_of(const Array& array) { return copy_of(array.dtype(), array.shape(), array.bytes()); }

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return *shape_; }
  int64_t count() const;
  std::byte* data() const { return data_.get(); }
  /// Returns a DLPack view, valid as long as this tensor.
  DLTensor view() const;
  /// Returns an array that shares the memory and keeps it alive.
  Array array() const;

 private:
  DType dtype_;
  std::shared_ptr<std::vector<int64_t>> shape_;  // DLPack needs a mutable pointer to the shape
  std::shared_ptr<std::byte> data_;
};

/// Fills with uniform random numbers: floats in [-1, 1], integers in [0, 9], bools; deterministic for equal seeds.
void fill_random(const HostTensor& tensor, uint64_t seed);

}  // namespace sunmao::cli
