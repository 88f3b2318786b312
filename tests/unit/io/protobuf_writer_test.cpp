#include "io/protobuf_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/bytes.h"

namespace sunmao::io {
namespace {

TEST(ProtobufWriter, WhatIsWrittenIsRead) {
  const std::vector<int64_t> numbers{0, 1, 127, 128, -1, std::numeric_limits<int64_t>::min()};
  const std::string long_text(300, 'x');
  ProtobufWriter inner, writer;
  inner.text(1, "inner");
  writer.number(1, -5).real(2, 0.5f).text(3, long_text).message(400, inner).numbers(5, numbers);
  writer.bytes(6, as_bytes("ab")).numbers(7, {});

  ProtobufReader reader(as_bytes(writer.message()));
  ProtobufField f;
  ASSERT_TRUE(reader.next(f));
  EXPECT_EQ(f.as_int64(), -5);
  ASSERT_TRUE(reader.next(f));
  EXPECT_EQ(f.as_float(), 0.5f);
  ASSERT_TRUE(reader.next(f));
  EXPECT_EQ(f.as_text(), long_text);
  ASSERT_TRUE(reader.next(f));
  EXPECT_EQ(f.number, 400U);
  ProtobufReader nested = reader.nested(f);
  ASSERT_TRUE(nested.next(f));
  EXPECT_EQ(f.as_text(), "inner");
  ASSERT_TRUE(reader.next(f));
  std::vector<int64_t> read;
  ASSERT_TRUE(append_varints(f, read).ok());
  EXPECT_EQ(read, numbers);
  ASSERT_TRUE(reader.next(f));
  EXPECT_EQ(f.number, 6U);
  EXPECT_EQ(f.as_text(), "ab");
  EXPECT_FALSE(reader.next(f)) << "no field without numbers";
  EXPECT_TRUE(reader.status().ok());
}

}  // namespace
}  // namespace sunmao::io
