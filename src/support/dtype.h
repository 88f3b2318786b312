// DType: the type of an element, in DLPack's numbering, and its name in scripts.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "abi/packed_elements.h"

namespace sunmao {

enum class TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Handle = 3,
  BFloat = 4,
  Bool = 6,
  Float8E3M4 = 7,
  Float8E4M3 = 8,
  Float8E4M3B11FNUZ = 9,
  Float8E4M3FN = 10,
  Float8E4M3FNUZ = 11,
  Float8E5M2 = 12,
  Float8E5M2FNUZ = 13,
  Float8E8M0FNU = 14,
  Float6E2M3FN = 15,
  Float6E3M2FN = 16,
  Float4E2M1FN = 17,
  Void = 255,  // "dtype not known"; prints as ""
};

/// A vector length: `count` lanes, or, if scalable, `count` times the machine's `vscale`.
struct Lanes {
  int count;
  bool is_scalable;
  constexpr Lanes(int n, bool scales = false) : count(n), is_scalable(scales) {}
};

struct DType {
  TypeCode code = TypeCode::Void;
  uint8_t bits = 0;
  uint16_t lanes = 1;
  bool is_scalable = false;  // `lanes` is multiplied by `vscale`

  static constexpr DType int_(int bits, int lanes = 1) { return make(TypeCode::Int, bits, lanes); }
  static constexpr DType uint(int bits, int lanes = 1) { return make(TypeCode::UInt, bits, lanes); }
  static constexpr DType float_(int bits, int lanes = 1) { return make(TypeCode::Float, bits, lanes); }
  static constexpr DType bool_(int lanes = 1) { return make(TypeCode::Bool, 8, lanes); }
  static constexpr DType handle() { return make(TypeCode::Handle, 64, 1); }
  static constexpr DType void_() { return {}; }
  /// Parses "float32", "int8x4", "float32xvscalex4", "bool", "bfloat16", "handle", "" (void) and the like; nullopt
  /// for text that is no dtype.
  static std::optional<DType> parse(std::string_view text);

  bool is_void() const { return code == TypeCode::Void; }
  bool is_int() const { return code == TypeCode::Int; }
  bool is_uint() const { return code == TypeCode::UInt; }
  bool is_bool() const { return code == TypeCode::Bool; }
  bool is_integral() const { return is_int() || is_uint() || is_bool(); }
  /// True for all floating-point types, including those of less than 16 bits.
  bool is_float() const { return !is_integral() && !is_void() && code != TypeCode::Handle; }
  DType with_lanes(Lanes n) const {
    DType out = make(code, bits, n.count);
    out.is_scalable = n.is_scalable;
    return out;
  }
  Lanes all_lanes() const { return {lanes, is_scalable}; }
  bool is_vector() const { return lanes != 1 || is_scalable; }
  DType element() const { return with_lanes(1); }
  /// Bytes of one element with all its lanes (of a scalable vector, as if `vscale` were 1). Lanes of less than a byte
  /// are packed. The bytes of several elements are `bytes_of`.
  int64_t bytes() const { return (int64_t{bits} * lanes + 7) / 8; }
  /// Bits of one element with all its lanes, as tensors store it.
  int64_t stored_bits() const { return int64_t{bits} * lanes; }
  /// True when elements, or lanes, share bytes (abi/packed_elements.h), so that they have no address.
  bool is_packed() const { return abi::is_packed(bits); }
  /// Bytes of `count` consecutive elements, of which the first begins a byte.
  int64_t bytes_of(int64_t count) const {
    return static_cast<int64_t>(
        abi::bytes_of_elements(static_cast<uint64_t>(stored_bits()), static_cast<uint64_t>(count)));
  }
  std::string str() const;
  friend auto operator<=>(const DType&, const DType&) = default;

 private:
  static constexpr DType make(TypeCode code, int bits, int lanes) {
    return DType{code, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  }
};

}  // namespace sunmao
