// Validates the tensors that a caller passes to a run, locates their memory, and copies strided ones. Runs nothing.
#pragma once
#include <string>

#include "io/status.h"
#include "runtime/layout.h"
#include "runtime/signature.h"
#include "runtime/storage.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

/// An input with the rank, dtype and device of the signature and without negative sizes.
struct InputArgument {
  Tensor tensor;            // in the caller's memory
  bool needs_copy = false;  // strided, or not aligned to its element size
};

/// Return the name of an input or output in messages, such as "function `f`: input `x`".
std::string describe_input(const Signature& signature, size_t input);
std::string describe_output(const Signature& signature, size_t output);

/// Fails (E0902) when the number of inputs or outputs differs from the signature.
io::Status check_counts(const Signature& signature, size_t inputs, size_t outputs);

/// Checks an input. Fails with E0903 (dtype), E0904 (rank), E0907 (device) or E0908 (other). make_layout compares the
/// sizes.
io::Result<InputArgument> check_input(const Signature& signature, size_t index, const DLTensor& tensor);

/// The same for a value of a state.
io::Result<InputArgument> check_state(const SignatureValue& state, const DLTensor& tensor);

/// Checks an output in the caller's memory; E0909 unless the result can be written to it directly. `result` is null as
/// long as its sizes are not known.
io::Result<Tensor> check_output(const Signature& signature, size_t index, const ResultLayout* result,
                                const DLTensor& tensor);

/// Appends the elements of an input that holds sizes. E0904 when their number is not that of the signature, E0911 when
/// one is negative.
io::Status read_sizes(const Signature& signature, size_t index, const DLTensor& tensor, std::vector<int64_t>& sizes);

bool is_contiguous(const DLTensor& tensor);

/// Copies a tensor with any strides to `to`, in row-major order; one of a sub-byte type must be contiguous.
void copy_strided(const DLTensor& tensor, std::byte* to);

bool overlap(const Tensor& a, const Tensor& b);

}  // namespace sunmao::runtime
