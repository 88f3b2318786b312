#include "io/protobuf.h"

#include <bit>
#include <cstring>

namespace sunmao::io {

namespace {

uint64_t load_little_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint64_t>(bytes[i - 1]);
  return value;
}

Status not_a_number_list(const ProtobufField& field, const char* wanted) {
  return Status::error("E0841", "protobuf field " + std::to_string(field.number) + " should hold " + wanted +
                                    ", got another wire type or a length that does not fit");
}

/// Appends fixed-size numbers of a field, single or packed; `append(bits)` receives each.
template <class Append>
Status append_fixed(const ProtobufField& field, WireType alone, size_t size, const char* wanted, Append append) {
  if (field.type == alone) {
    append(field.bits);
    return {};
  }
  if (field.type != WireType::Bytes || field.bytes.size() % size != 0) return not_a_number_list(field, wanted);
  for (size_t i = 0; i < field.bytes.size(); i += size) append(load_little_endian(field.bytes.subspan(i, size)));
  return {};
}

/// Takes a varint from the front of `data`. Returns the bytes used, 0 when it is incomplete, -1 when it exceeds 64
/// bits.
int take_varint(std::span<const std::byte> data, uint64_t& value) {
  value = 0;
  for (int i = 0; i < 10; ++i) {
    if (static_cast<size_t>(i) == data.size()) return 0;
    const auto byte = static_cast<uint64_t>(data[i]);
    if (i == 9 && byte > 1) return -1;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return i + 1;
  }
  return -1;
}

}  // namespace

float ProtobufField::as_float() const {
  return type == WireType::Fixed32 ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : 0.0f;
}

double ProtobufField::as_double() const { return type == WireType::Fixed64 ? std::bit_cast<double>(bits) : 0.0; }

std::string_view ProtobufField::as_text() const {
  const void* data = bytes.data();
  return {static_cast<const char*>(data), bytes.size()};
}

bool ProtobufReader::fail(const char* code, const char* message) {
  status_ = Status::error(code, message, "the file is damaged or is not what its name says");
  position_ = data_.size();
  return false;
}

bool ProtobufReader::read_varint(uint64_t& value) {
  const int used = take_varint(data_.subspan(position_), value);
  if (used == 0) return fail("E0840", "protobuf message ends inside a number");
  if (used < 0) return fail("E0841", "protobuf number is longer than 64 bits");
  position_ += static_cast<size_t>(used);
  return true;
}

bool ProtobufReader::next(ProtobufField& field) {
  if (!status_.ok() || position_ == data_.size()) return false;
  uint64_t key = 0;
  if (!read_varint(key)) return false;
  if (key >> 32 != 0 || key >> 3 == 0) return fail("E0841", "protobuf field number is out of range");
  field = {.number = static_cast<uint32_t>(key >> 3), .type = WireType::Varint, .bits = 0, .bytes = {}};

  const size_t wire_type = key & 7;
  if (wire_type == 0) return read_varint(field.bits);
  if (wire_type == 3 || wire_type == 4) return fail("E0841", "protobuf groups are not accepted");
  if (wire_type > 5) return fail("E0841", "protobuf wire type does not exist");
  field.type = static_cast<WireType>(wire_type);

  uint64_t length = field.type == WireType::Fixed32 ? 4 : 8;
  if (field.type == WireType::Bytes && !read_varint(length)) return false;
  if (length > data_.size() - position_) return fail("E0840", "protobuf field is longer than its message");
  const std::span<const std::byte> body = data_.subspan(position_, length);
  position_ += length;
  if (field.type == WireType::Bytes) {
    field.bytes = body;
  } else {
    field.bits = load_little_endian(body);
  }
  return true;
}

ProtobufReader ProtobufReader::nested(const ProtobufField& field) const {
  ProtobufReader inner(field.bytes);
  inner.depth_ = depth_ + 1;
  if (field.type != WireType::Bytes) {
    inner.fail("E0841", "protobuf field should hold a message, got a number");
  } else if (inner.depth_ > kMaxProtobufDepth) {
    inner.fail("E0842", "protobuf messages are nested more than 100 deep");
  }
  return inner;
}

Status append_varints(const ProtobufField& field, std::vector<int64_t>& out) {
  if (field.type == WireType::Varint) {
    out.push_back(field.as_int64());
    return {};
  }
  if (field.type != WireType::Bytes) return not_a_number_list(field, "integers");
  for (std::span<const std::byte> rest = field.bytes; !rest.empty();) {
    uint64_t value = 0;
    const int used = take_varint(rest, value);
    if (used <= 0) return not_a_number_list(field, "integers");
    out.push_back(static_cast<int64_t>(value));
    rest = rest.subspan(static_cast<size_t>(used));
  }
  return {};
}

Status append_floats(const ProtobufField& field, std::vector<float>& out) {
  return append_fixed(field, WireType::Fixed32, sizeof(float), "32-bit floats",
                      [&](uint64_t bits) { out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits))); });
}

Status append_doubles(const ProtobufField& field, std::vector<double>& out) {
  return append_fixed(field, WireType::Fixed64, sizeof(double), "64-bit floats",
                      [&](uint64_t bits) { out.push_back(std::bit_cast<double>(bits)); });
}

}  // namespace sunmao::io
