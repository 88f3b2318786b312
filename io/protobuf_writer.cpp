#include "io/protobuf_writer.h"

#include <bit>

namespace sunmao::io {

void ProtobufWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_ += static_cast<char>((value & 0x7f) | 0x80);
  message_ += static_cast<char>(value);
}

ProtobufWriter& ProtobufWriter::number(uint32_t field, int64_t value) {
  key(field, WireType::Varint);
  varint(static_cast<uint64_t>(value));
  return *this;
}

ProtobufWriter& ProtobufWriter::real(uint32_t field, float value) {
  key(field, WireType::Fixed32);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) message_ += static_cast<char>(bits >> shift & 0xff);
  return *this;
}

ProtobufWriter& ProtobufWriter::text(uint32_t field, std::string_view value) {
  key(field, WireType::Bytes);
  varint(value.size());
  message_ += value;
  return *this;
}

ProtobufWriter& ProtobufWriter::bytes(uint32_t field, std::span<const std::byte> value) {
  const void* data = value.data();
  return text(field, {static_cast<const char*>(data), value.size()});
}

ProtobufWriter& ProtobufWriter::numbers(uint32_t field, const std::vector<int64_t>& values) {
  if (values.empty()) return *this;
  ProtobufWriter packed;
  for (const int64_t value : values) packed.varint(static_cast<uint64_t>(value));
  return message(field, packed);
}

}  // namespace sunmao::io
