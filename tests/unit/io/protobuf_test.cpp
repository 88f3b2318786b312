#include "io/protobuf.h"

#include <gtest/gtest.h>

#include <string>

#include "damage.h"
#include "io/bytes.h"

namespace sunmao::io {
namespace {

using namespace std::string_literals;

/// Reads all fields, and each length-delimited field as a message too; returns the number of fields.
size_t walk(ProtobufReader reader, int levels) {
  size_t count = 0;
  for (ProtobufField field; reader.next(field);) {
    ++count;
    if (field.type == WireType::Bytes && levels > 0) count += walk(reader.nested(field), levels - 1);
  }
  return count;
}

std::string protobuf_error(const std::string& message) {
  ProtobufReader reader(as_bytes(message));
  for (ProtobufField field; reader.next(field);) {
  }
  return reader.status().code();
}

// Fields by number: 1: 300, 2: "onnx", 3: 1.5f, 4: -2.0, 5: -1, 6: message { 1: 5 }, 7: packed 1, 300, -1.
const std::string kMessage =
    "\x08\xac\x02"s
    "\x12\x04onnx"s
    "\x1d\x00\x00\xc0\x3f"s
    "\x21\x00\x00\x00\x00\x00\x00\x00\xc0"s
    "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s
    "\x32\x02\x08\x05"s
    "\x3a\x0d\x01\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s;

TEST(Protobuf, ReadsEveryWireType) {
  ProtobufReader reader(as_bytes(kMessage));
  ProtobufField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 1u);
  EXPECT_EQ(field.as_int64(), 300);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.as_text(), "onnx");
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.as_float(), 1.5f);
  EXPECT_EQ(field.as_double(), 0.0) << "of another wire type";
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.as_double(), -2.0);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.as_int64(), -1);
  EXPECT_EQ(field.as_int32(), -1);
  ASSERT_TRUE(reader.next(field));
  ProtobufReader inner = reader.nested(field);
  EXPECT_EQ(inner.depth(), 1);
  ASSERT_TRUE(inner.next(field));
  EXPECT_EQ(field.as_int64(), 5);
  EXPECT_FALSE(inner.next(field));
  EXPECT_TRUE(inner.status().ok());
  ASSERT_TRUE(reader.next(field));
  std::vector<int64_t> numbers = {9};
  ASSERT_TRUE(append_varints(field, numbers).ok());
  EXPECT_EQ(numbers, (std::vector<int64_t>{9, 1, 300, -1}));
  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.status().ok());
}

TEST(Protobuf, RepeatedFloatsPackedOrNot) {
  std::vector<float> floats;
  ProtobufField field;
  const std::string two = "\x0a\x08\x00\x00\x80\x3f\x00\x00\x00\x40"s;
  ProtobufReader packed(as_bytes(two));
  ASSERT_TRUE(packed.next(field));
  ASSERT_TRUE(append_floats(field, floats).ok());
  const std::string one = "\x0d\x00\x00\x40\x40"s;
  ProtobufReader single(as_bytes(one));
  ASSERT_TRUE(single.next(field));
  ASSERT_TRUE(append_floats(field, floats).ok());
  EXPECT_EQ(floats, (std::vector<float>{1, 2, 3}));
  std::vector<double> doubles;
  EXPECT_STREQ(append_doubles(field, doubles).code(), "E0841");
  field = {.number = 1, .type = WireType::Bytes, .bits = 0, .bytes = as_bytes("12345")};
  EXPECT_STREQ(append_floats(field, floats).code(), "E0841");
}

TEST(Protobuf, E0840EveryCut) {
  test::for_every_cut(kMessage, [&](const std::string& cut) {
    const std::string code = protobuf_error(cut);
    EXPECT_TRUE(code.empty() || code == "E0840") << code;
  });
  EXPECT_EQ(protobuf_error("\x08"), "E0840");
  EXPECT_EQ(protobuf_error("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "E0840") << "a length of 2^64 - 1";
  EXPECT_EQ(protobuf_error("\x1d\x01\x02\x03"), "E0840");
}

TEST(Protobuf, E0841MalformedFields) {
  EXPECT_EQ(protobuf_error("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "E0841") << "more than 64 bits";
  EXPECT_EQ(protobuf_error("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "E0841") << "eleven bytes";
  EXPECT_EQ(protobuf_error("\x02\x01"), "E0841") << "field number 0";
  EXPECT_EQ(protobuf_error("\x0b\x0c"), "E0841") << "a group";
  EXPECT_EQ(protobuf_error("\x0f"), "E0841") << "wire type 7";
  EXPECT_EQ(protobuf_error("\xf8\xff\xff\xff\x7f\x01"), "E0841") << "field number above 2^29";
  ProtobufReader reader(as_bytes("\x08\x01"));
  ProtobufField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_STREQ(reader.nested(field).status().code(), "E0841") << "a number is no message";
}

TEST(Protobuf, E0842TooDeep) {
  ProtobufReader reader(as_bytes(""));
  const ProtobufField field = {.number = 1, .type = WireType::Bytes, .bits = 0, .bytes = as_bytes("\x08\x01")};
  for (int i = 0; i < kMaxProtobufDepth; ++i) {
    reader = reader.nested(field);
    ASSERT_TRUE(reader.status().ok());
  }
  reader = reader.nested(field);
  EXPECT_STREQ(reader.status().code(), "E0842");
  ProtobufField unused;
  EXPECT_FALSE(reader.next(unused));
}

TEST(Protobuf, FlippedBytesNeverReadOutside) {
  size_t fields = 0;
  test::for_flipped_bytes(kMessage, 5000,
                          [&](const std::string& text) { fields += walk(ProtobufReader(as_bytes(text)), 8); });
  EXPECT_GT(fields, 5000u);
}

}  // namespace
}  // namespace sunmao::io
