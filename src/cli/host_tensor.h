// HostTensor: memory for one input of a run, filled once and then only read.
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
  /// Zeroed and aligned to 64 bytes. Fails (E0002) when this machine does not have so much memory.
  HostTensor(DType dtype, std::vector<int64_t> shape);
  /// `bytes` are exactly the elements.
  static HostTensor copy_of(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);
  static HostTensor copy_of(const Array& array) { return copy_of(array.dtype(), array.shape(), array.bytes()); }

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return *shape_; }
  int64_t count() const;
  std::byte* data() const { return data_.get(); }
  /// Points into this tensor.
  DLTensor view() const;
  /// The same memory, kept alive by the array.
  Array array() const;

 private:
  DType dtype_;
  std::shared_ptr<std::vector<int64_t>> shape_;  // DLPack points at it, and knows no const
  std::shared_ptr<std::byte> data_;
};

/// Uniform in [-1, 1) for floats, 0 to 9 for integers, 0 and 1 for bools; the same seed gives the same numbers.
void fill_random(const HostTensor& tensor, uint64_t seed);

}  // namespace sunmao::cli
