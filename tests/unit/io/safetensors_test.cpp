#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <string>

#include "damage.h"
#include "io/json.h"

namespace sunmao::io {
namespace {

constexpr abi::ElementType kF32 = {2, 32, 1};
constexpr abi::ElementType kU8 = {1, 8, 1};

/// Returns a file with this header and this many bytes of data.
std::string file(const std::string& header, size_t data_size) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(static_cast<unsigned char>(header.size() >> (8 * i)));
  text += header;
  for (size_t i = 0; i < data_size; ++i) text += static_cast<char>(static_cast<unsigned char>(i & 0xff));
  return text;
}

Result<SafetensorsReader> open_tensors(const std::string& text) { return SafetensorsReader::open(Bytes::from(text)); }
std::string header_error(const std::string& header, size_t data_size) {
  return open_tensors(file(header, data_size)).code();
}

StoredTensor tensor(const std::string& name, abi::ElementType type, std::vector<int64_t> shape, size_t size,
                    char fill = 'x') {
  return {name, type, std::move(shape), Bytes::from(std::string(size, fill))};
}

std::string tensors_file(const std::vector<StoredTensor>& tensors, const StringPairs& metadata = {}) {
  const Result<Chunks> chunks = write_safetensors(tensors, metadata);
  EXPECT_TRUE(chunks.ok()) << chunks.status().to_string();
  return chunks.ok() ? std::string(join(*chunks).text()) : "";
}

// A file as written by the safetensors library: tensors sorted by alignment, header padded to 8 bytes.
const char kForeign[] =
    R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
    R"("a":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]},"none":{"dtype":"I64","shape":[0,7],"data_offsets":[14,14]},)"
    R"("s":{"dtype":"BOOL","shape":[],"data_offsets":[14,15]}}  )";

TEST(Safetensors, ReadsAForeignFile) {
  const Result<SafetensorsReader> reader = open_tensors(file(kForeign, 15));
  ASSERT_TRUE(reader.ok()) << reader.status().to_string();
  ASSERT_EQ(reader->tensors().size(), 4u);
  EXPECT_EQ(reader->tensors()[0].name, "b") << "in the order of the data";
  EXPECT_EQ(reader->metadata(), (StringPairs{{"format", "pt"}}));
  const StoredTensor* a = reader->find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->shape, std::vector<int64_t>{3});
  EXPECT_EQ(a->type.code, 4);
  EXPECT_EQ(a->type.bits, 16);
  EXPECT_EQ(a->data.text(), "\x08\x09\x0a\x0b\x0c\x0d");
  EXPECT_TRUE(reader->find("s")->shape.empty());
  EXPECT_TRUE(reader->find("none")->data.empty());
  EXPECT_EQ(reader->find("c"), nullptr);
}

TEST(Safetensors, EveryDtypeHasItsSize) {
  const std::pair<const char*, int> dtypes[] = {{"F64", 8}, {"F32", 4}, {"F16", 2},  {"BF16", 2},    {"I64", 8},
                                                {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U64", 8},     {"U32", 4},
                                                {"U16", 2}, {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  for (const auto& [name, size] : dtypes) {
    const std::string bytes = std::to_string(size * 3);
    const std::string header =
        std::string(R"({"t":{"dtype":")") + name + R"(","shape":[3],"data_offsets":[0,)" + bytes + "]}}";
    const Result<SafetensorsReader> reader = open_tensors(file(header, static_cast<size_t>(size * 3)));
    ASSERT_TRUE(reader.ok()) << reader.status().to_string();
    EXPECT_EQ(reader->tensors()[0].type.bits, size * 8);
    EXPECT_STREQ(safetensors_dtype(reader->tensors()[0].type), name);
  }
  EXPECT_EQ(safetensors_dtype({2, 32, 4}), nullptr);
}

TEST(Safetensors, RoundTripIsAlignedAndOrdered) {
  const std::vector<StoredTensor> tensors = {tensor("z", kF32, {5}, 20, 'z'), tensor("a", kU8, {64}, 64, 'a'),
                                             tensor("m", kU8, {0}, 0), tensor("q", kU8, {1}, 1, 'q'),
                                             tensor("\u69ab \"q\"", kF32, {}, 4, '1')};
  const std::string text = tensors_file(tensors, {{"producer", "sunmao"}, {"a", "b"}});
  const Bytes bytes = Bytes::from(text);
  const Result<SafetensorsReader> reader = SafetensorsReader::open(bytes);
  ASSERT_TRUE(reader.ok()) << reader.status().to_string();
  ASSERT_EQ(reader->tensors().size(), tensors.size()) << "without padding entries";
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(reader->tensors()[i].name, tensors[i].name);
    EXPECT_EQ(reader->tensors()[i].shape, tensors[i].shape);
    EXPECT_EQ(reader->tensors()[i].data.text(), tensors[i].data.text());
    EXPECT_EQ((reader->tensors()[i].data.data() - bytes.data()) % 64, 0) << tensors[i].name;
  }
  EXPECT_EQ(reader->metadata(), (StringPairs{{"producer", "sunmao"}, {"a", "b"}}));
  EXPECT_NE(text.find("__pad.0"), std::string::npos);
  EXPECT_EQ(text, tensors_file(tensors, {{"producer", "sunmao"}, {"a", "b"}}));
}

TEST(Safetensors, DataIsNotCopied) {
  const StoredTensor t = tensor("a", kU8, {100}, 100);
  const Result<Chunks> chunks = write_safetensors({t});
  ASSERT_TRUE(chunks.ok());
  EXPECT_EQ(chunks->back().data(), t.data.data());
}

TEST(Safetensors, NoTensorsAtAll) {
  const Result<SafetensorsReader> reader = open_tensors(tensors_file({}));
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->tensors().empty());
}

TEST(Safetensors, E0830HeaderThatDoesNotFit) {
  EXPECT_STREQ(open_tensors("").code(), "E0830");
  EXPECT_STREQ(open_tensors("1234567").code(), "E0830");
  EXPECT_STREQ(open_tensors(std::string(8, '\xff')).code(), "E0830");
  EXPECT_STREQ(open_tensors(std::string("\x09\0\0\0\0\0\0\0{}", 10)).code(), "E0830");
  EXPECT_EQ(header_error("", 0), "E0830");
  EXPECT_EQ(header_error(" {}", 0), "E0830") << "the format wants `{` first";
  EXPECT_EQ(header_error(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})", 8), "E0830");
}

TEST(Safetensors, E0831HeaderOfAnotherShape) {
  for (const char* header :
       {R"({"a":1})", R"({"a":{"shape":[1],"data_offsets":[0,1]}})", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})",
        R"({"a":{"dtype":"U8","shape":[1]}})", R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})",
        R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})",
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})",
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})",
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}})",
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":{"a":0,"b":1}}})", R"({"__metadata__":[]})",
        R"({"__metadata__":{"a":1}})"}) {
    EXPECT_EQ(header_error(header, 1), "E0831") << header;
  }
  std::string deep = R"({"a":{"dtype":"U8","shape":[1)";
  for (int i = 0; i < 64; ++i) deep += ",1";
  EXPECT_EQ(header_error(deep + R"(],"data_offsets":[0,1]}})", 1), "E0831") << "rank 65";
}

TEST(Safetensors, HeaderMistakesOfJsonKeepTheirCode) {
  EXPECT_EQ(header_error("{", 0), "E0820");
  EXPECT_EQ(header_error(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{}})", 1), "E0823");
}

TEST(Safetensors, E0832UnknownDtype) {
  EXPECT_EQ(header_error(R"({"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", 8), "E0832");
  EXPECT_EQ(header_error(R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})", 4), "E0832");
}

TEST(Safetensors, E0833SizeAgainstShape) {
  EXPECT_EQ(header_error(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4), "E0833");
  EXPECT_EQ(header_error(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0), "E0833")
      << "2^64 elements";
  EXPECT_EQ(header_error(R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0), "E0833");
}

TEST(Safetensors, E0834HolesAndOverlaps) {
  const auto two = [](int b0, int e0, int b1, int e1) {
    const auto one = [](const char* name, int b, int e) {
      return std::string("\"") + name + R"(":{"dtype":"U8","shape":[)" + std::to_string(e - b) +
             R"(],"data_offsets":[)" + std::to_string(b) + "," + std::to_string(e) + "]}";
    };
    return "{" + one("a", b0, e0) + "," + one("b", b1, e1) + "}";
  };
  EXPECT_EQ(header_error(two(0, 4, 4, 8), 8), "");
  EXPECT_EQ(header_error(two(4, 8, 0, 4), 8), "") << "the header's order is free";
  EXPECT_EQ(header_error(two(0, 4, 5, 8), 8), "E0834") << "a hole";
  EXPECT_EQ(header_error(two(0, 5, 4, 8), 8), "E0834") << "an overlap";
  EXPECT_EQ(header_error(two(0, 8, 0, 8), 8), "E0834") << "the same bytes";
  EXPECT_EQ(header_error(two(1, 4, 4, 8), 8), "E0834") << "a hole at the front";
  EXPECT_EQ(header_error(two(0, 4, 4, 8), 9), "E0834") << "a hole at the end";
}

TEST(Safetensors, E0835WhatCannotBeWritten) {
  const auto refused = [](const std::vector<StoredTensor>& tensors, const StringPairs& metadata = {}) {
    return std::string(write_safetensors(tensors, metadata).code());
  };
  EXPECT_EQ(refused({tensor("a", kF32, {2}, 7)}), "E0835") << "size";
  EXPECT_EQ(refused({tensor("a", kF32, {-1}, 4)}), "E0835") << "negative dimension";
  EXPECT_EQ(refused({tensor("a", {5, 64, 1}, {1}, 8)}), "E0835") << "complex";
  EXPECT_EQ(refused({tensor("a", kU8, {1}, 1), tensor("a", kU8, {1}, 1)}), "E0835") << "same name";
  EXPECT_EQ(refused({tensor("__metadata__", kU8, {1}, 1)}), "E0835");
  EXPECT_EQ(refused({tensor("__pad.3", kU8, {1}, 1)}), "E0835");
  EXPECT_EQ(refused({tensor("\xff", kU8, {1}, 1)}), "E0835");
  EXPECT_EQ(refused({tensor("a", kU8, std::vector<int64_t>(65, 1), 1)}), "E0835") << "rank";
  EXPECT_EQ(refused({}, {{"a", "1"}, {"a", "2"}}), "E0835");
  EXPECT_EQ(refused({}, {{"a", "\xff"}}), "E0835");
}

TEST(Safetensors, TypesWithoutANameAreStoredAsBytes) {
  using Shape = std::vector<int64_t>;
  auto stored = [](uint8_t code, uint8_t bits, uint16_t lanes, const Shape& shape) {
    const StoredForm form = form_in_safetensors({code, bits, lanes}, shape);
    return std::pair(std::vector<int>{form.type.code, form.type.bits, form.type.lanes}, form.shape);
  };
  const std::vector<int> byte{1, 8, 1};
  EXPECT_EQ(stored(0, 4, 1, {3, 3}), std::pair(byte, Shape{5})) << "int4";
  EXPECT_EQ(stored(1, 2, 1, {0, 3}), std::pair(byte, Shape{0})) << "uint2";
  EXPECT_EQ(stored(17, 4, 1, {3, 2}), std::pair(std::vector<int>{17, 4, 1}, Shape{3, 2})) << "float4_e2m1fn";
  EXPECT_EQ(stored(17, 4, 1, {3, 3}), std::pair(byte, Shape{5})) << "float4_e2m1fn with half a byte";
  EXPECT_EQ(stored(7, 8, 1, {3, 3}), std::pair(byte, Shape{3, 3})) << "float8_e3m4";
  EXPECT_EQ(stored(14, 8, 1, {2}), std::pair(std::vector<int>{14, 8, 1}, Shape{2})) << "float8_e8m0fnu";
  EXPECT_EQ(stored(2, 32, 1, {2}), std::pair(std::vector<int>{2, 32, 1}, Shape{2})) << "float32";
  EXPECT_EQ(stored(5, 64, 1, {2}), std::pair(std::vector<int>{5, 64, 1}, Shape{2})) << "complex64 is no byte";
}

TEST(Safetensors, PackedElementsFillWholeBytes) {
  const abi::ElementType f4{17, 4, 1}, f6{15, 6, 1};
  const auto reader = open_tensors(tensors_file({tensor("a", f4, {3, 2}, 3), tensor("b", f6, {4}, 3)}));
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->find("a")->data.size(), 3u);
  EXPECT_STREQ(safetensors_dtype(reader->find("b")->type), "F6_E2M3");
  EXPECT_STREQ(write_safetensors({tensor("a", f4, {3}, 2)}).code(), "E0835") << "half a byte";
  EXPECT_STREQ(write_safetensors({tensor("a", f4, {4}, 4)}).code(), "E0835") << "a byte each";
}

TEST(Safetensors, EveryCutIsAnError) {
  for (const std::string& whole :
       {file(kForeign, 15), tensors_file({tensor("a", kU8, {65}, 65), tensor("b", kF32, {1}, 4)})}) {
    test::for_every_cut(whole, [](const std::string& cut) { EXPECT_FALSE(open_tensors(cut).ok()) << cut.size(); });
  }
}

TEST(Safetensors, FlippedBytesNeverReadOutside) {
  int good = 0;
  uint64_t sum = 0;
  test::for_flipped_bytes(file(kForeign, 15), 5000, [&](const std::string& text) {
    const Result<SafetensorsReader> reader = open_tensors(text);
    if (!reader.ok()) return;
    ++good;
    for (const StoredTensor& t : reader->tensors()) {
      for (const std::byte byte : t.data.span()) sum += static_cast<uint64_t>(byte);
    }
  });
  EXPECT_GT(good, 0);
  EXPECT_GT(sum, 0u);
}

}  // namespace
}  // namespace sunmao::io
