#include "io/safetensors_format.h"

#include "abi/packed_elements.h"
#include "io/safetensors.h"

namespace sunmao::io {

namespace {

// Type codes of DLPack.
enum : uint8_t {
  kInt = 0,
  kUint = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
  kFloat8E4m3fn = 10,
  kFloat8E5m2 = 12,
  kFloat8E8m0fnu = 14,
  kFloat6E2m3fn = 15,
  kFloat6E3m2fn = 16,
  kFloat4E2m1fn = 17
};

struct Dtype {
  const char* name;
  abi::ElementType type;
};

constexpr Dtype kDtypes[] = {
    {"F64", {kFloat, 64, 1}},
    {"F32", {kFloat, 32, 1}},
    {"F16", {kFloat, 16, 1}},
    {"BF16", {kBfloat, 16, 1}},
    {"F8_E4M3", {kFloat8E4m3fn, 8, 1}},
    {"F8_E5M2", {kFloat8E5m2, 8, 1}},
    {"F8_E8M0", {kFloat8E8m0fnu, 8, 1}},
    {"F6_E2M3", {kFloat6E2m3fn, 6, 1}},
    {"F6_E3M2", {kFloat6E3m2fn, 6, 1}},
    {"F4", {kFloat4E2m1fn, 4, 1}},
    {"I64", {kInt, 64, 1}},
    {"I32", {kInt, 32, 1}},
    {"I16", {kInt, 16, 1}},
    {"I8", {kInt, 8, 1}},
    {"U64", {kUint, 64, 1}},
    {"U32", {kUint, 32, 1}},
    {"U16", {kUint, 16, 1}},
    {"U8", {kUint, 8, 1}},
    {"BOOL", {kBool, 8, 1}},
};

bool same(abi::ElementType a, abi::ElementType b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

}  // namespace

const char* safetensors_dtype(abi::ElementType type) {
  for (const Dtype& dtype : kDtypes) {
    if (same(dtype.type, type)) return dtype.name;
  }
  return nullptr;
}

StoredForm form_in_safetensors(abi::ElementType type, std::span<const int64_t> shape) {
  StoredForm form{type, {shape.begin(), shape.end()}};
  const bool is_named = safetensors_dtype(type) != nullptr;
  if (type.bits > 8 || type.lanes != 1 || (is_named && safetensors_format::tensor_size(type, shape))) return form;
  form.type = {kUint, 8, 1};
  if (!abi::is_packed(type.bits)) return form;
  uint64_t count = 1;
  for (const int64_t dim : shape) count *= static_cast<uint64_t>(dim);
  form.shape = {static_cast<int64_t>(abi::bytes_of_elements(type.bits, count))};
  return form;
}

namespace safetensors_format {

std::optional<abi::ElementType> find_type(std::string_view name) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.name == name) return dtype.type;
  }
  return std::nullopt;
}

std::optional<uint64_t> tensor_size(abi::ElementType type, std::span<const int64_t> shape) {
  const bool is_packed = abi::is_packed(type.bits);
  int64_t size = is_packed ? 1 : type.bits / 8;
  for (const int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(size, dim, &size)) return std::nullopt;
  }
  const auto count = static_cast<uint64_t>(size);
  if (!is_packed) return count;
  if (abi::unused_bits(type.bits, count) != 0) return std::nullopt;
  return abi::bytes_of_elements(type.bits, count);
}

}  // namespace safetensors_format

}  // namespace sunmao::io
