// The exact messages of readers and writers: protobuf, zip, safetensors, JSON.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <functional>
#include <string>

#include "io/json.h"
#include "io/protobuf.h"
#include "io/safetensors.h"
#include "io/zip.h"
#include "io/zip_format.h"

namespace sunmao::io {
namespace {

using namespace std::string_literals;

std::string protobuf_message(const std::string& message) {
  ProtobufReader reader(as_bytes(message));
  for (ProtobufField field; reader.next(field);) {
  }
  return reader.status().to_string();
}

TEST(ReaderMessages, of_protobuf) {
  const std::string help = "; the file is damaged or is not what its name says";
  const std::pair<std::string, std::string> all[] = {
      {"\x08", "E0840: protobuf message ends inside a number"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "E0841: protobuf number is longer than 64 bits"},
      {"\x02\x01", "E0841: protobuf field number is out of range"},
      {"\x0b\x0c", "E0841: protobuf groups are not accepted"},
      {"\x0f", "E0841: protobuf wire type does not exist"},
      {"\x1d\x01\x02\x03", "E0840: protobuf field is longer than its message"},
  };
  for (const auto& [message, expected] : all) EXPECT_EQ(protobuf_message(message), expected + help);
  ProtobufReader reader(as_bytes(""));
  const ProtobufField number = {.number = 1, .type = WireType::Varint, .bits = 5, .bytes = {}};
  const ProtobufField text = {.number = 7, .type = WireType::Bytes, .bits = 0, .bytes = as_bytes("\xff")};
  EXPECT_EQ(reader.nested(number).status().to_string(),
            "E0841: protobuf field should hold a message, got a number" + help);
  for (int i = 0; i <= kMaxProtobufDepth; ++i) reader = reader.nested(text);
  EXPECT_EQ(reader.status().to_string(), "E0842: protobuf messages are nested more than 100 deep" + help);
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<double> doubles;
  const std::string got = ", got another wire type or a length that does not fit";
  EXPECT_EQ(append_varints(text, integers).to_string(), "E0841: protobuf field 7 should hold integers" + got);
  const ProtobufField fixed = {.number = 3, .type = WireType::Fixed32, .bits = 0, .bytes = {}};
  EXPECT_EQ(append_varints(fixed, integers).to_string(), "E0841: protobuf field 3 should hold integers" + got);
  EXPECT_EQ(append_floats(text, floats).to_string(), "E0841: protobuf field 7 should hold 32-bit floats" + got);
  EXPECT_EQ(append_doubles(number, doubles).to_string(),
            "E0841: protobuf field 1 should hold 64-bit floats, got another wire type or a length that does not fit");
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  ZipWriter writer;
  for (const auto& [name, text] : entries) EXPECT_TRUE(writer.add(name, text, 1).ok());
  return std::string(join(std::move(writer).finish()).text());
}

/// An archive of `a` and `b` with a number of `size` bytes written at an offset from the last `signature`.
std::string zip_message(const char* signature, size_t at, uint64_t value, size_t size,
                        const std::string& archive = zip_of({{"a", "abc"}, {"b", "def"}})) {
  std::string damaged = archive;
  for (size_t i = 0; i < size; ++i)
    damaged[damaged.rfind(signature) + at + i] = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  const Result<ZipReader> opened = ZipReader::open(Bytes::from(damaged));
  return opened.status().to_string();
}

TEST(ReaderMessages, of_zips) {
  const char *const central = "PK\x01\x02", *const end = "PK\x05\x06", *const end64 = "PK\x06\x06",
                    *const locator = "PK\x06\x07";
  const std::string help = "; the file is damaged; get or make it anew";
  const auto damaged = [&](const char* signature, size_t at, uint64_t value, size_t size, const char* message) {
    EXPECT_EQ(zip_message(signature, at, value, size), "E0811: zip: "s + message + help);
  };
  damaged(end, 8, 60000u << 16 | 60000u, 4, "more entries than the central directory holds");
  damaged(central, 0, 0, 1, "the central directory ends early");
  damaged(central, 32, 99, 2, "the central directory ends early");
  damaged(central, 20, 0xffffffff, 4, "entry `b` lacks its 64-bit sizes");
  damaged(central, 20, 2, 4, "stored entry `b` has two sizes");
  EXPECT_EQ(zip_message(end, 0, 'x', 1),
            "E0810: not a zip archive, or its end is missing; a download or copy may have stopped early; compare the "
            "size with the original's");

  // With the 64-bit records that writers add for large archives.
  std::string large = zip_of({{"a", "abc"}});
  const size_t at = large.rfind(end);
  const uint64_t directory = large.rfind(central);
  std::string records;
  using namespace zip_format;
  put32(records, kEnd64Signature);
  put64(records, kEnd64Size - 12);
  put32(records, 0);
  put64(records, 0);
  for (const uint64_t value : {uint64_t{1}, uint64_t{1}, uint64_t{at} - directory, directory}) put64(records, value);
  put32(records, kLocator64Signature);
  put32(records, 0);
  put64(records, at);
  put32(records, 1);
  large.insert(at, records);
  EXPECT_EQ(zip_message(end64, 12, 0, 1, large), "ok");
  EXPECT_EQ(zip_message(locator, 8, 0, 8, large),
            "E0811: zip: the 64-bit end record is not where its locator says" + help);
  EXPECT_EQ(zip_message(end64, 32, 2, 8, large), "E0811: zip: the two end records contradict each other" + help);
  EXPECT_EQ(zip_message(locator, 16, 2, 4, large), "E0812: zip: archives in several parts are not supported");
}

TEST(ReaderMessages, of_entries_of_zips) {
  const std::string archive = zip_of({{"a", "abc"}, {"b", "def"}});
  const auto renamed = [&](const char* from, const char* to) {
    std::string text = zip_of({{"name_1", "x"}, {from, "y"}});
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) text.replace(at, 6, to);
    return ZipReader::open(Bytes::from(text)).status().to_string();
  };
  EXPECT_EQ(renamed("name_2", "name_1"), "E0814: zip: two entries are named `name_1`");
  std::string overlapping = zip_of({{"a", zip_of({{"b", "secret"}}).substr(0, 37)}, {"b", "secret"}});
  EXPECT_EQ(zip_message("PK\x01\x02", 42, 31, 4, overlapping), "E0815: zip: two entries overlap at byte 31");
  const Result<ZipReader> zip = ZipReader::open(Bytes::from(archive));
  ASSERT_TRUE(zip.ok());
  EXPECT_EQ(zip->read("c").status().to_string(), "E0816: zip: no entry named `c`");
  const auto read = [&](size_t at, char byte) {
    std::string text = archive;
    text[text.rfind("PK\x01\x02") + at] = byte;
    const Result<ZipReader> reader = ZipReader::open(Bytes::from(text));
    return reader.ok() ? reader->check(*reader->find("b")).to_string() : reader.status().to_string();
  };
  EXPECT_EQ(read(10, 8),
            "E0812: zip: entry `b` is compressed (method 8), expected stored; pack it again without compression: "
            "`zip -0`");
  EXPECT_EQ(read(8, 1), "E0812: zip: entry `b` is encrypted");
  EXPECT_EQ(read(16, 'x'),
            "E0817: zip: the data of entry `b` does not match its checksum; the file is damaged; get or make it anew");
}

TEST(ReaderMessages, of_entries_that_are_added) {
  const auto added = [](const std::string& name, uint32_t alignment = 1) {
    ZipWriter writer;
    EXPECT_TRUE(writer.add("there", "x", 1).ok());
    return writer.add(name, "x", alignment).to_string();
  };
  EXPECT_EQ(added("a/"), "E0813: zip entry name `a/` is a folder's");
  EXPECT_EQ(added("there"), "E0814: zip: two entries are named `there`");
  EXPECT_EQ(added("a", 3), "E0818: zip: alignment 3 of entry `a`; take a power of two from 1 to 16384");
  const std::pair<std::string, std::string> names[] = {
      {"", "`` is empty"},
      {"/a", "`/a` is absolute"},
      {"a\\b", "`a\\b` has a backslash or a control character"},
      {"C:a", "`C:a` has a drive letter"},
      {"a/../b", "`a/../b` has an empty, `.` or `..` part"},
      {std::string(65536, 'a'), "`" + std::string(120, 'a') + "...` is longer than 65535 bytes"},
  };
  for (const auto& [name, problem] : names) EXPECT_EQ(added(name), "E0813: zip entry name " + problem);
}

TEST(ReaderMessages, of_safetensors_that_are_written) {
  constexpr abi::ElementType kByte = {1, 8, 1};
  const auto refused = [&](const std::string& name, abi::ElementType type, std::vector<int64_t> shape,
                           const StringPairs& metadata = {}) {
    const StoredTensor there = {"there", kByte, {1}, Bytes::from("x"s)};
    return write_safetensors({there, {name, type, std::move(shape), Bytes::from("x"s)}}, metadata).status().to_string();
  };
  EXPECT_EQ(refused("__pad.3", kByte, {1}), "E0835: safetensors: tensor name `__pad.3` is taken by the format");
  EXPECT_EQ(refused("\xff", kByte, {1}), "E0835: safetensors: tensor name `\\xff` is not UTF-8");
  EXPECT_EQ(refused("a", {5, 8, 2}, {1}),
            "E0835: safetensors: tensor `a` has an element type that the format does not know (code 5, bits 8, lanes "
            "2)");
  EXPECT_EQ(refused("a", kByte, std::vector<int64_t>(65, 1)),
            "E0835: safetensors: tensor `a` has rank 65; 64 is the most");
  EXPECT_EQ(refused("a", kByte, {2}),
            "E0835: safetensors: tensor `a` has 1 bytes, which its shape and type do not make");
  EXPECT_EQ(refused("a", kByte, {int64_t{1} << 62, 4}),
            "E0835: safetensors: tensor `a` has a shape that no memory holds");
  EXPECT_EQ(refused("there", kByte, {1}), "E0835: safetensors: two tensors are named `there`");
  EXPECT_EQ(refused("a", kByte, {1}, {{"k", "\xff"}}), "E0835: safetensors: metadata `k` is not UTF-8");
  EXPECT_EQ(refused("a", kByte, {1}, {{"k", "1"}, {"k", "2"}}),
            "E0835: safetensors: two metadata entries are named `k`");
  const std::string long_text(16666667, '\x01');  // written as six bytes each
  EXPECT_EQ(refused("a", kByte, {1}, {{"k", long_text}}),
            "E0835: safetensors: the header would be longer than 100000000 bytes; readers refuse it");
}

/// Returns the message for a safetensors file with this header and one byte of data.
std::string header_message(const std::string& header) {
  std::string file(8, '\0');
  for (size_t i = 0; i < 2; ++i) file[i] = static_cast<char>(static_cast<unsigned char>(header.size() >> (8 * i)));
  return SafetensorsReader::open(Bytes::from(file + header + "x")).status().to_string();
}

TEST(ReaderMessages, of_safetensors_with_their_helps) {
  std::string deep = R"({"a":{"dtype":"U8","shape":[1)";
  for (int i = 0; i < 64; ++i) deep += ",1";
  EXPECT_EQ(header_message(deep + R"(],"data_offsets":[0,1]}})"),
            "E0831: safetensors header: tensor `a` has rank 65; 64 is the most; the file is damaged, or was not "
            "written as safetensors");
  EXPECT_EQ(header_message(""),
            "E0830: safetensors: the header does not begin with `{`; the file is no safetensors file, or was cut "
            "short");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"U7"}})"),
            "E0832: safetensors: tensor `a` has dtype `U7`; supported: F64 F32 F16 BF16 F8_E4M3 F8_E5M2 F8_E8M0 "
            "F6_E2M3 F6_E3M2 F4 I64 I32 I16 I8 U64 U32 U16 U8 BOOL");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})"),
            "E0830: safetensors: tensor `a` ends at byte 9 of the data, which has 1; the file was cut short");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})"),
            "E0833: safetensors: tensor `a` has 0 bytes, its shape and dtype want more than there can be");
}

TEST(ReaderMessages, of_json_that_is_skipped) {
  const auto skipped = [](const std::string& text) {
    const JsonOptions all = {.skip = [](auto, auto) { return true; }};
    return JsonDocument::parse(std::string_view(text), all).status().to_string();
  };
  EXPECT_EQ(skipped(R"({"a":)"), "E0820: JSON at 1:6: expected a value");
  EXPECT_EQ(skipped(R"({"a":[1)"), "E0820: JSON at 1:8: the text ends inside an array or object");
  EXPECT_EQ(skipped(R"({"a":[1}})"), "E0820: JSON at 1:9: brackets do not match");
  EXPECT_EQ(skipped("{\"a\":" + std::string(513, '[')), "E0822: JSON at 1:519: nested more than 512 deep");
  EXPECT_EQ(skipped(R"({"a":"\)"), "E0820: JSON at 1:7: the text ends inside a string");
}

TEST(ReaderMessages, E0825_json_of_more_than_4_GiB) {
  constexpr size_t kSize = (size_t{1} << 32) + 1;  // bytes of address space, which nothing reads
  void* memory = ::mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const Bytes text = Bytes::borrowed({static_cast<const std::byte*>(memory), kSize});
  EXPECT_EQ(JsonDocument::parse(text).status().to_string(),
            "E0825: JSON text of 4294967297 bytes; 4 GiB is the most that is read");
  ::munmap(memory, kSize);
}

}  // namespace
}  // namespace sunmao::io
