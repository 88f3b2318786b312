#include "io/safetensors_format.h"

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
  kFloat8E8m0fnu = 14
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

abi::ElementType type_in_safetensors(abi::ElementType type) {
  const bool is_byte = type.bits <= 8 && type.lanes == 1;
  return is_byte && !safetensors_dtype(type) ? abi::ElementType{kUint, 8, 1} : type;
}

namespace safetensors_format {

std::optional<abi::ElementType> find_type(std::string_view name) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.name == name) return dtype.type;
  }
  return std::nullopt;
}

std::optional<uint64_t> tensor_size(abi::ElementType type, std::span<const int64_t> shape) {
  int64_t size = type.bits / 8;
  for (const int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(size, dim, &size)) return std::nullopt;
  }
  return static_cast<uint64_t>(size);
}

}  // namespace safetensors_format

}  // namespace sunmao::io
