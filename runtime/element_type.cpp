#include "runtime/element_type.h"

#include "abi/packed_elements.h"
#include "io/concat.h"

namespace sunmao::runtime {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 62;

struct NamedType {
  uint8_t code;
  uint8_t bits;
  const char* name;
};
constexpr NamedType kTypes[] = {
    {kDLInt, 2, "int2"},
    {kDLInt, 4, "int4"},
    {kDLInt, 8, "int8"},
    {kDLInt, 16, "int16"},
    {kDLInt, 32, "int32"},
    {kDLInt, 64, "int64"},
    {kDLUInt, 2, "uint2"},
    {kDLUInt, 4, "uint4"},
    {kDLUInt, 8, "uint8"},
    {kDLUInt, 16, "uint16"},
    {kDLUInt, 32, "uint32"},
    {kDLUInt, 64, "uint64"},
    {kDLOpaqueHandle, 64, "handle"},
    {kDLFloat, 16, "float16"},
    {kDLFloat, 32, "float32"},
    {kDLFloat, 64, "float64"},
    {kDLBfloat, 16, "bfloat16"},
    {kDLComplex, 64, "complex64"},
    {kDLComplex, 128, "complex128"},
    {kDLBool, 8, "bool"},
    {kDLFloat8_e3m4, 8, "float8_e3m4"},
    {kDLFloat8_e4m3, 8, "float8_e4m3"},
    {kDLFloat8_e4m3b11fnuz, 8, "float8_e4m3b11fnuz"},
    {kDLFloat8_e4m3fn, 8, "float8_e4m3fn"},
    {kDLFloat8_e4m3fnuz, 8, "float8_e4m3fnuz"},
    {kDLFloat8_e5m2, 8, "float8_e5m2"},
    {kDLFloat8_e5m2fnuz, 8, "float8_e5m2fnuz"},
    {kDLFloat8_e8m0fnu, 8, "float8_e8m0fnu"},
    {kDLFloat6_e2m3fn, 6, "float6_e2m3fn"},
    {kDLFloat6_e3m2fn, 6, "float6_e3m2fn"},
    {kDLFloat4_e2m1fn, 4, "float4_e2m1fn"},
};

const char* find_name(abi::ElementType type) {
  if (type.lanes != 1) return nullptr;
  for (const NamedType& known : kTypes)
    if (known.code == type.code && known.bits == type.bits) return known.name;
  return nullptr;
}

}  // namespace

bool is_supported(abi::ElementType type) { return find_name(type) != nullptr; }

std::string to_string(abi::ElementType type) {
  if (const char* name = find_name(type)) return name;
  return io::concat("type(", type.code, ", ", type.bits, ", ", type.lanes, ")");
}

std::optional<uint64_t> byte_size(abi::ElementType type, std::span<const int64_t> shape) {
  const uint64_t bits = uint64_t{type.bits} * type.lanes;
  uint64_t bytes = (bits + 7) / 8, count = 1;
  bool is_empty = false;
  for (const int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) is_empty = true;
  }
  if (is_empty) return 0;
  for (const int64_t dim : shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes)) return std::nullopt;
  if (bytes > kMaxBytes) return std::nullopt;
  if (!abi::is_packed(type.bits)) return bytes;
  for (const int64_t dim : shape) count *= static_cast<uint64_t>(dim);
  return abi::bytes_of_elements(bits, count);
}

uint8_t unused_bits(abi::ElementType type, std::span<const int64_t> shape) {
  if (!abi::is_packed(type.bits)) return 0;
  uint64_t count = 1;
  for (const int64_t dim : shape) count *= static_cast<uint64_t>(dim);
  return abi::unused_bits(uint64_t{type.bits} * type.lanes, count);
}

std::string to_string(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += io::concat(i ? ", " : "", shape[i]);
  return text + ")";
}

}  // namespace sunmao::runtime
