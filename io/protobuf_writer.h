// Writes messages in the wire format of protocol buffers, field by field. It knows no message types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/protobuf.h"

namespace sunmao::io {

class ProtobufWriter {
 public:
  ProtobufWriter& number(uint32_t field, int64_t value);
  ProtobufWriter& real(uint32_t field, float value);
  ProtobufWriter& text(uint32_t field, std::string_view value);
  ProtobufWriter& bytes(uint32_t field, std::span<const std::byte> value);
  ProtobufWriter& message(uint32_t field, const ProtobufWriter& value) { return text(field, value.message_); }
  /// Writes a repeated field of numbers, packed into one; nothing when there are none.
  ProtobufWriter& numbers(uint32_t field, const std::vector<int64_t>& values);

  /// Returns the message so far.
  const std::string& message() const { return message_; }
  std::string take() { return std::move(message_); }

 private:
  void key(uint32_t field, WireType type) { varint(uint64_t{field} << 3 | static_cast<uint64_t>(type)); }
  void varint(uint64_t value);

  std::string message_;
};

}  // namespace sunmao::io
