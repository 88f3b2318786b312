// Checks what a caller hands to a run, and says where its memory is. It copies nothing and runs nothing.
#pragma once
#include <string>

#include "io/status.h"
#include "runtime/layout.h"
#include "runtime/signature.h"
#include "runtime/storage.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

/// An input whose rank, dtype, device and sizes are sound.
struct InputArgument {
  Tensor tensor;            // its memory, or only its size when that cannot be used as it is
  bool needs_copy = false;  // it has strides, or is not aligned to its element size
};

/// "function `f`: input `x`"
std::string describe_input(const Signature& signature, size_t input);
std::string describe_output(const Signature& signature, size_t output);

/// E0902 unless there are as many inputs and outputs as the signature says.
io::Status check_counts(const Signature& signature, size_t inputs, size_t outputs);

/// E0903 dtype, E0904 rank, E0907 device, E0908 anything else. Sizes are looked at by make_layout.
io::Result<InputArgument> check_input(const Signature& signature, size_t index, const DLTensor& tensor);

/// An output in the caller's memory; E0909 unless it can take the result as it is.
io::Result<Tensor> check_output(const Signature& signature, size_t index, const ResultLayout& result,
                                const DLTensor& tensor);

/// Copies a tensor with any strides to `to`, in C order.
void copy_strided(const DLTensor& tensor, std::byte* to);

bool overlap(const Tensor& a, const Tensor& b);

}  // namespace sunmao::runtime
