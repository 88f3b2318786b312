// Arrays as DLPack tensors, for calls of the runtime.
#pragma once
#include <sunmao/runtime.h>

#include <bit>
#include <vector>

#include "support/array.h"

namespace sunmao {

/// Returns a tensor at `data`, whose shape refers to `shape`.
inline DLTensor dlpack_tensor(void* data, DType dtype, std::vector<int64_t>& shape) {
  return {.data = data,
          .device = {kDLCPU, 0},
          .ndim = static_cast<int32_t>(shape.size()),
          .dtype = {static_cast<uint8_t>(dtype.code), dtype.bits, dtype.lanes},
          .shape = shape.data(),
          .strides = nullptr,
          .byte_offset = 0};
}

/// Returns a view of an input. DLPack has no const, but inputs are only read.
inline DLTensor dlpack_view(const Array& a, std::vector<int64_t>& shape) {
  shape = a.shape();
  auto address = std::bit_cast<void*>(a.data());
  return dlpack_tensor(address, a.dtype(), shape);
}

}  // namespace sunmao
