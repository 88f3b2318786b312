// An ONNX file as a tree of the fields of its messages, which can be changed and encoded again with the right lengths.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "io/protobuf.h"

namespace sunmao::fuzz {

/// The messages whose fields are taken apart; all else is `None`: numbers and texts.
enum class Kind : uint8_t {
  None,
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  Info,
  Type,
  TensorType,
  Shape,
  Dim,
  Function,
  Opset,
  Entry
};

struct Field;
using Message = std::vector<Field>;

struct Field {
  uint32_t number = 0;
  io::WireType type = io::WireType::Varint;
  uint64_t bits = 0;
  std::string bytes;
  Kind kind = Kind::None;
  Message fields;  // of a message
};

/// Parses what is intact; lists of packed numbers become a field each.
Message parse_message(std::span<const std::byte> bytes, Kind kind);
std::string encode(const Message& message);

Field number_field(uint32_t number, int64_t value);
Field text_field(uint32_t number, std::string text);
Field message_field(uint32_t number, Kind kind, Message fields);

/// Returns the first field of this number, or null.
Field* find(Message& message, uint32_t number);
const Field* find(const Message& message, uint32_t number);
std::string text_of(const Message& message, uint32_t number);
/// Returns the indices of all fields of this number.
std::vector<size_t> all(const Message& message, uint32_t number);
/// Replaces the fields of this number.
void set(Message& message, Field field);
void erase(Message& message, size_t index);
/// Returns all messages of a kind, at any depth, as long as none is changed.
std::vector<Message*> messages(Message& root, Kind kind);

}  // namespace sunmao::fuzz
