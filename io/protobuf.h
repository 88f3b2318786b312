// Protocol buffers wire format, field by field. It knows no message types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/status.h"

namespace sunmao::io {

inline constexpr int kMaxProtobufDepth = 100;

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// One field of a message. as_int64 and as_int32 return the bits of any number; the other accessors return zero or an
/// empty text for a field of another wire type. Check `type` where it matters.
struct ProtobufField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t bits = 0;                 // Varint, Fixed64, Fixed32
  std::span<const std::byte> bytes;  // Bytes: a string, a message, packed numbers

  int64_t as_int64() const { return static_cast<int64_t>(bits); }
  int32_t as_int32() const { return static_cast<int32_t>(bits); }
  float as_float() const;
  double as_double() const;
  std::string_view as_text() const;  // UTF-8 is not checked
};

/// Walks one message:
///   ProtobufReader r(span);
///   for (ProtobufField f; r.next(f);) switch (f.number) { … }
///   if (!r.status().ok()) …
/// All fields are returned, so unknown ones can be ignored. Groups (wire types 3 and 4) are rejected.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::span<const std::byte> message) : data_(message) {}

  /// Reads the next field; false at the end and after an error, which status() distinguishes.
  bool next(ProtobufField& field);
  const Status& status() const { return status_; }

  /// Returns a reader of the message in `field`, one level deeper. Its status is an error when that is deeper than
  /// kMaxProtobufDepth, or the field is of another wire type than Bytes.
  ProtobufReader nested(const ProtobufField& field) const;
  int depth() const { return depth_; }

 private:
  bool fail(const char* code, const char* message);
  bool read_varint(uint64_t& value);

  std::span<const std::byte> data_;
  size_t position_ = 0;
  int depth_ = 0;
  Status status_;
};

/// Append the numbers of a repeated field, packed or not; to be called for each field of that number.
Status append_varints(const ProtobufField& field, std::vector<int64_t>& out);
Status append_floats(const ProtobufField& field, std::vector<float>& out);
Status append_doubles(const ProtobufField& field, std::vector<double>& out);

}  // namespace sunmao::io
