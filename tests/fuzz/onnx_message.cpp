#include "tests/fuzz/onnx_message.h"

#include <cstring>

namespace sunmao::fuzz {
namespace {

constexpr size_t kLargestUnpacked = 2048;  // bytes of packed numbers that become a field each

struct Part {
  Kind of;
  uint32_t number;
  Kind kind;
};
constexpr Part kParts[] = {
    {Kind::Model, 7, Kind::Graph},     {Kind::Model, 8, Kind::Opset},      {Kind::Model, 25, Kind::Function},
    {Kind::Graph, 1, Kind::Node},      {Kind::Graph, 5, Kind::Tensor},     {Kind::Graph, 11, Kind::Info},
    {Kind::Graph, 12, Kind::Info},     {Kind::Node, 5, Kind::Attribute},   {Kind::Attribute, 5, Kind::Tensor},
    {Kind::Attribute, 6, Kind::Graph}, {Kind::Tensor, 13, Kind::Entry},    {Kind::Info, 2, Kind::Type},
    {Kind::Type, 1, Kind::TensorType}, {Kind::TensorType, 2, Kind::Shape}, {Kind::Shape, 1, Kind::Dim},
    {Kind::Function, 7, Kind::Node},   {Kind::Function, 9, Kind::Opset},   {Kind::Function, 11, Kind::Attribute}};

Kind kind_of(Kind parent, uint32_t number) {
  for (const Part& part : kParts)
    if (part.of == parent && part.number == number) return part.kind;
  return Kind::None;
}

bool is_packed_ints(Kind kind, uint32_t number) {
  return (kind == Kind::Tensor && (number == 1 || number == 5 || number == 7)) ||
         (kind == Kind::Attribute && number == 8);
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void collect(Message& message, Kind kind, std::vector<Message*>& out) {
  for (Field& f : message) {
    if (f.kind == kind) out.push_back(&f.fields);
    if (f.kind != Kind::None) collect(f.fields, kind, out);
  }
}

}  // namespace

Message parse_message(std::span<const std::byte> bytes, Kind kind) {
  Message out;
  io::ProtobufReader reader(bytes);
  for (io::ProtobufField f; reader.next(f);) {
    std::vector<int64_t> ints;
    if (f.type == io::WireType::Bytes && is_packed_ints(kind, f.number) && f.bytes.size() <= kLargestUnpacked &&
        io::append_varints(f, ints).ok()) {
      for (int64_t i : ints) out.push_back(number_field(f.number, i));
      continue;
    }
    Field field{.number = f.number, .type = f.type, .bits = f.bits, .bytes = std::string(f.as_text())};
    if (f.type == io::WireType::Bytes) field.kind = kind_of(kind, f.number);
    if (field.kind != Kind::None) field.fields = parse_message(f.bytes, field.kind);
    out.push_back(std::move(field));
  }
  return out;
}

std::string encode(const Message& message) {
  std::string out;
  for (const Field& f : message) {
    put_varint(out, uint64_t{f.number} << 3 | static_cast<uint64_t>(f.type));
    if (f.type == io::WireType::Varint) put_varint(out, f.bits);
    if (f.type == io::WireType::Fixed32 || f.type == io::WireType::Fixed64) {
      char raw[8];
      std::memcpy(raw, &f.bits, sizeof raw);
      out.append(raw, f.type == io::WireType::Fixed32 ? 4 : 8);
    }
    if (f.type != io::WireType::Bytes) continue;
    const std::string bytes = f.kind == Kind::None ? f.bytes : encode(f.fields);
    put_varint(out, bytes.size());
    out += bytes;
  }
  return out;
}

Field number_field(uint32_t number, int64_t value) {
  return {.number = number, .bits = static_cast<uint64_t>(value), .bytes = {}, .fields = {}};
}

Field text_field(uint32_t number, std::string text) {
  return {.number = number, .type = io::WireType::Bytes, .bytes = std::move(text), .fields = {}};
}

Field message_field(uint32_t number, Kind kind, Message fields) {
  return {.number = number, .type = io::WireType::Bytes, .bytes = {}, .kind = kind, .fields = std::move(fields)};
}

const Field* find(const Message& message, uint32_t number) {
  for (const Field& f : message)
    if (f.number == number) return &f;
  return nullptr;
}

Field* find(Message& message, uint32_t number) {
  for (Field& f : message)
    if (f.number == number) return &f;
  return nullptr;
}

std::string text_of(const Message& message, uint32_t number) {
  const Field* field = find(message, number);
  return field ? field->bytes : std::string();
}

std::vector<size_t> all(const Message& message, uint32_t number) {
  std::vector<size_t> out;
  for (size_t i = 0; i < message.size(); ++i)
    if (message[i].number == number) out.push_back(i);
  return out;
}

void set(Message& message, Field field) {
  std::erase_if(message, [&](const Field& f) { return f.number == field.number; });
  message.push_back(std::move(field));
}

void erase(Message& message, size_t index) { message.erase(message.begin() + static_cast<std::ptrdiff_t>(index)); }

std::vector<Message*> messages(Message& root, Kind kind) {
  std::vector<Message*> out;
  collect(root, kind, out);
  return out;
}

}  // namespace sunmao::fuzz
