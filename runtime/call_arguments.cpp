#include "runtime/call_arguments.h"

#include <algorithm>
#include <cstring>

#include "abi/packed_elements.h"
#include "io/concat.h"
#include "runtime/element_type.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::quoted;
using io::Status;

constexpr int32_t kMaxRank = static_cast<int32_t>(abi::kMaxRank);

std::span<const int64_t> shape_of(const DLTensor& tensor) { return {tensor.shape, static_cast<size_t>(tensor.ndim)}; }

uintptr_t address_of(const DLTensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data) + static_cast<uintptr_t>(tensor.byte_offset);
}

bool is_aligned(const DLTensor& tensor, abi::ElementType type) {
  return address_of(tensor) % natural_alignment(type) == 0;
}

/// Checks rank, dtype and device of an input; `code` is the error code for a DLTensor that is invalid in itself.
Status check_tensor(const std::string& what, const SignatureValue& value, const DLTensor& tensor, const char* code) {
  const auto rank = static_cast<int32_t>(value.dims.size());
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank || (tensor.ndim > 0 && !tensor.shape))
    return Status::error(code, concat(what, " is no tensor: ndim is ", tensor.ndim,
                                      tensor.ndim > 0 && !tensor.shape ? " and `shape` is NULL" : ""));
  const bool is_number = value.holds_sizes && value.sizes.size() == 1 && tensor.ndim == 0;
  if (tensor.ndim != rank && !is_number)
    return Status::error("E0904", concat(what, " has rank ", tensor.ndim, ", expected ", rank),
                         concat("the shape given is ", to_string(shape_of(tensor))));
  if (!same_type(from_dlpack(tensor.dtype), value.type))
    return Status::error("E0903",
                         concat(what, " is ", to_string(from_dlpack(tensor.dtype)), ", expected ", value.dtype_name),
                         concat("convert it to ", value.dtype_name, " before the call"));
  if (tensor.device.device_type != kDLCPU)
    return Status::error("E0907",
                         concat(what, " is on a device of kind ", static_cast<int>(tensor.device.device_type),
                                ", expected the CPU (kind ", static_cast<int>(kDLCPU), ")"),
                         "copy it to the memory of the CPU before the call");
  return {};
}

struct StridedCopy {
  const DLTensor& tensor;
  size_t element;  // bytes

  std::byte* copy(int32_t axis, const std::byte* from, std::byte* to) const {
    if (axis == tensor.ndim) {
      std::memcpy(to, from, element);
      return to + element;
    }
    const int64_t stride = tensor.strides ? tensor.strides[axis] * static_cast<int64_t>(element) : 0;
    const bool is_run = axis == tensor.ndim - 1 && stride == static_cast<int64_t>(element);
    if (is_run) {
      const size_t bytes = static_cast<size_t>(tensor.shape[axis]) * element;
      std::memcpy(to, from, bytes);
      return to + bytes;
    }
    for (int64_t i = 0; i < tensor.shape[axis]; ++i) to = copy(axis + 1, from + i * stride, to);
    return to;
  }
};

}  // namespace

bool is_contiguous(const DLTensor& tensor) {
  if (!tensor.strides) return true;
  uint64_t expected = 1;
  for (int32_t axis = tensor.ndim - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] == 0) return true;
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != static_cast<int64_t>(expected)) return false;
    expected *= static_cast<uint64_t>(tensor.shape[axis]);
  }
  return true;
}

std::string describe_input(const Signature& signature, size_t input) {
  return concat("function ", quoted(signature.name), ": input ", quoted(signature.inputs[input].name));
}

std::string describe_output(const Signature& signature, size_t output) {
  const std::string& name = signature.outputs[output].name;
  return concat("function ", quoted(signature.name), ": output ", output, name.empty() ? "" : " ",
                name.empty() ? std::string() : quoted(name));
}

Status check_counts(const Signature& signature, size_t inputs, size_t outputs) {
  const bool inputs_fit = inputs == signature.inputs.size();
  if (inputs_fit && outputs == signature.outputs.size()) return {};
  std::string names;
  for (const SignatureValue& value : inputs_fit ? signature.outputs : signature.inputs)
    names += (names.empty() ? "" : ", ") + quoted(value.name);
  return Status::error("E0902",
                       concat("function ", quoted(signature.name), ": ", inputs_fit ? outputs : inputs,
                              inputs_fit ? " outputs" : " inputs", " given, expected ",
                              inputs_fit ? signature.outputs.size() : signature.inputs.size()),
                       names.empty() ? std::string("it has none") : "they are " + names);
}

namespace {

template <class Describe>
io::Result<InputArgument> check_argument(const SignatureValue& value, const DLTensor& tensor,
                                         const Describe& describe) {
  const auto fail = [&](const std::string& problem) { return Status::error("E0908", describe() + problem); };
  // The description is built only for a failure: a check that passes makes no string.
  const bool is_number = value.holds_sizes && value.sizes.size() == 1 && tensor.ndim == 0;
  if ((!is_number && tensor.ndim != static_cast<int32_t>(value.dims.size())) || (tensor.ndim > 0 && !tensor.shape) ||
      !same_type(from_dlpack(tensor.dtype), value.type) || tensor.device.device_type != kDLCPU)
    SUNMAO_TRY(check_tensor(describe(), value, tensor, "E0908"));
  const std::optional<uint64_t> bytes = byte_size(value.type, shape_of(tensor));
  if (!bytes) return fail(concat(" has the shape ", to_string(shape_of(tensor)), ", which is none"));
  if (*bytes > 0 && !tensor.data) return fail(" has no data: its pointer is NULL");
  InputArgument input;
  input.tensor = {cpu_storage(address_of(tensor)), *bytes};
  input.needs_copy = *bytes > 0 && (!is_contiguous(tensor) || !is_aligned(tensor, value.type));
  if (input.needs_copy && !is_contiguous(tensor) && abi::is_packed(value.type.bits))
    return fail(concat(" has strides, which ", value.dtype_name, " cannot have"));
  return input;
}

}  // namespace

io::Result<InputArgument> check_input(const Signature& signature, size_t index, const DLTensor& tensor) {
  return check_argument(signature.inputs[index], tensor, [&] { return describe_input(signature, index); });
}

io::Result<InputArgument> check_state(const SignatureValue& state, const DLTensor& tensor) {
  return check_argument(state, tensor, [&] { return concat("state ", quoted(state.name)); });
}

io::Result<Tensor> check_output(const Signature& signature, size_t index, const ResultLayout* result,
                                const DLTensor& tensor) {
  const SignatureValue& value = signature.outputs[index];
  const auto fail = [&](const std::string& problem) {
    return Status::error("E0909", describe_output(signature, index) + problem,
                         "give memory that fits, or a NULL `data` pointer to get memory of the session");
  };
  const bool has_shape = tensor.ndim >= 0 && tensor.ndim <= kMaxRank && (tensor.ndim == 0 || tensor.shape);
  if (!has_shape) return fail(concat(" is no tensor: ndim is ", tensor.ndim, " or `shape` is NULL"));
  const std::span<const int64_t> given = shape_of(tensor);
  if (result && !std::equal(result->shape.begin(), result->shape.end(), given.begin(), given.end()))
    return fail(concat(" has room for ", to_string(given), ", expected ", to_string(result->shape)));
  if (given.size() != value.dims.size())
    return fail(concat(" has rank ", given.size(), ", expected ", value.dims.size()));
  if (!same_type(from_dlpack(tensor.dtype), value.type))
    return fail(concat(" is ", to_string(from_dlpack(tensor.dtype)), ", expected ", value.dtype_name));
  if (tensor.device.device_type != kDLCPU) return fail(" is not in the memory of the CPU");
  if (!is_contiguous(tensor)) return fail(" is not contiguous");
  if (!is_aligned(tensor, value.type))
    return fail(concat(" is not aligned to ", natural_alignment(value.type), " bytes"));
  const std::optional<uint64_t> bytes = byte_size(value.type, given);
  return bytes ? io::Result<Tensor>(Tensor{cpu_storage(address_of(tensor)), *bytes})
               : fail(concat(" has the shape ", to_string(given), ", which is none"));
}

Status read_sizes(const Signature& signature, size_t index, const DLTensor& tensor, std::vector<int64_t>& sizes) {
  const SignatureValue& value = signature.inputs[index];
  const auto count = static_cast<int64_t>(value.sizes.size());
  const int64_t given = tensor.ndim == 0 ? 1 : tensor.shape[0];
  if (given != count)
    return Status::error("E0904",
                         concat(describe_input(signature, index), " holds ", given, " sizes, expected ", count),
                         "it is a tensor of one dimension with a size in each element");
  const size_t first = sizes.size();
  sizes.resize(first + value.sizes.size());
  copy_strided(tensor, reinterpret_cast<std::byte*>(sizes.data() + first));
  const auto negative =
      std::find_if(sizes.begin() + static_cast<std::ptrdiff_t>(first), sizes.end(), [](int64_t n) { return n < 0; });
  if (negative == sizes.end()) return {};
  return Status::error("E0911", concat(describe_input(signature, index), " holds the size ", *negative),
                       "sizes are 0 or more");
}

void copy_strided(const DLTensor& tensor, std::byte* to) {
  const abi::ElementType type = from_dlpack(tensor.dtype);
  const auto* from = reinterpret_cast<const std::byte*>(address_of(tensor));
  if (is_contiguous(tensor)) {  // contiguous but misaligned
    std::memcpy(to, from, byte_size(type, shape_of(tensor)).value_or(0));
    return;
  }
  StridedCopy{tensor, type.bits / size_t{8}}.copy(0, from, to);
}

bool overlap(const Tensor& a, const Tensor& b) {
  const uint64_t a_start = a.storage.handle + a.storage.offset;
  const uint64_t b_start = b.storage.handle + b.storage.offset;
  return a.bytes > 0 && b.bytes > 0 && a_start < b_start + b.bytes && b_start < a_start + a.bytes;
}

}  // namespace sunmao::runtime
