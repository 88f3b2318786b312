// The exact messages for texts and files that are wrong.
#include <gtest/gtest.h>

#include <string>

#include "io/json.h"
#include "io/safetensors.h"
#include "io/zip.h"

namespace sunmao::io {
namespace {

using namespace std::string_literals;

struct Wrong {
  std::string text;
  const char* message;
};

std::string text_of(const Status& status) { return std::string(status.code()) + " " + status.message(); }

TEST(Messages, of_json) {
  const Wrong all[] = {
      {"", "E0820 JSON at 1:1: the text ends where a value should be"},
      {"[1,\n x]", "E0820 JSON at 2:2: expected a value"},
      {"1 2", "E0820 JSON at 1:3: more text after the value"},
      {"[1 2]", "E0820 JSON at 1:4: expected `,` or `]`"},
      {R"({"a":1 "b":2})", "E0820 JSON at 1:8: expected `,` or `}`"},
      {R"({"a" 1})", "E0820 JSON at 1:6: expected `:` after a key"},
      {"{a:1}", "E0820 JSON at 1:2: expected a string"},
      {"\"abc", "E0820 JSON at 1:5: the text ends inside a string"},
      {"-", "E0820 JSON at 1:2: expected a digit"},
      {"01", "E0820 JSON at 1:3: number with a leading zero"},
      {"1.x", "E0820 JSON at 1:3: expected a digit after the point"},
      {"1e+", "E0820 JSON at 1:4: expected a digit in the exponent"},
      {"\"\x01\"", "E0821 JSON at 1:2: control character in a string; write it as \\u00XX"},
      {"\"\xff\"", "E0821 JSON at 1:2: string is not UTF-8"},
      {"\"\\n\xff\"", "E0821 JSON at 1:4: string is not UTF-8"},
      {"\"\\n\x01\"", "E0821 JSON at 1:4: control character in a string; write it as \\u00XX"},
      {"\"\\ud800\\u0041\"", "E0821 JSON at 1:14: high surrogate without a low one after it"},
      {"\"\\q\"", "E0821 JSON at 1:4: unknown escape in a string"},
      {"\"\\u12x4\"", "E0821 JSON at 1:4: expected four hexadecimal digits after \\u"},
      {"\"\\udc00\"", "E0821 JSON at 1:8: low surrogate without a high one before it"},
      {"\"\\ud800x\"", "E0821 JSON at 1:8: high surrogate without a low one after it"},
      {std::string(513, '['), "E0822 JSON at 1:513: nested more than 512 deep"},
      {R"({"a":1,"a":2})", "E0823 JSON at 1:14: key `a` occurs twice"},
      {"1e400", "E0824 JSON at 1:6: number is beyond the range of double"},
  };
  for (const Wrong& wrong : all)
    EXPECT_EQ(text_of(JsonDocument::parse(std::string_view(wrong.text)).status()), wrong.message) << wrong.text;
}

/// Returns the message for a safetensors file with this header and one byte of data.
std::string message_of_header(const std::string& header) {
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  const Result<SafetensorsReader> opened = SafetensorsReader::open(Bytes::from(file + header + "x"));
  return opened.ok() ? "none" : text_of(opened.status());
}

TEST(Messages, of_safetensors) {
  const Wrong all[] = {
      {"", "E0830 safetensors: the header does not begin with `{`"},
      {"{", "E0820 safetensors header: JSON at 1:2: expected a string"},
      {R"({"__metadata__":1})", "E0831 safetensors header: `__metadata__` is not an object"},
      {R"({"__metadata__":{"k":1}})", "E0831 safetensors header: metadata `k` is not a string"},
      {R"({"a":{}})", "E0831 safetensors header: tensor `a` has no `dtype`"},
      {R"({"a":{"dtype":"U7"}})", "E0832 safetensors: tensor `a` has dtype `U7`"},
      {R"({"a":{"dtype":"U8"}})", "E0831 safetensors header: tensor `a` has no `shape`"},
      {R"({"a":{"dtype":"U8","shape":[-1]}})", "E0831 safetensors header: tensor `a` has a dimension that is no size"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})",
       "E0831 safetensors header: tensor `a` has no `data_offsets` of two sizes in order"},
      {R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})",
       "E0830 safetensors: tensor `a` ends at byte 9 of the data, which has 1"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}})",
       "E0833 safetensors: tensor `a` has 1 bytes, its shape and dtype want 2"},
      {R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
       "E0834 safetensors: tensor `a` begins at byte 1 of the data, expected 0: tensors must touch and not overlap"},
      {"{}", "E0834 safetensors: the tensors end at byte 0 of the data, which has 1"},
  };
  for (const Wrong& wrong : all) EXPECT_EQ(message_of_header(wrong.text), wrong.message) << wrong.text;
  EXPECT_EQ(text_of(SafetensorsReader::open(Bytes::from(std::string(8, '\xff'))).status()),
            "E0830 safetensors: header of 18446744073709551615 bytes; 100000000 is the most");
  EXPECT_EQ(text_of(SafetensorsReader::open(Bytes::from("\x09\0\0\0\0\0\0\0{}"s)).status()),
            "E0830 safetensors: header of 9 bytes in a file of 10 bytes");
}

/// Returns the message for an archive of `a.txt` and `b.txt` with another byte in the record of `a.txt`, or in its
/// header, or none.
std::string message_of_zip(const char* signature, size_t at, char byte) {
  ZipWriter writer;
  EXPECT_TRUE(writer.add("a.txt", "abc", 1).ok() && writer.add("b.txt", "def", 1).ok());
  std::string archive(join(std::move(writer).finish()).text());
  archive[archive.find(signature) + at] = byte;
  const Result<ZipReader> opened = ZipReader::open(Bytes::from(archive));
  if (!opened.ok()) return text_of(opened.status());
  const Result<Bytes> read = opened->read("a.txt");
  return read.ok() ? text_of(opened->check(*opened->find("a.txt"))) : text_of(read.status());
}

TEST(Messages, of_zips) {
  const char *const central = "PK\x01\x02", *const local = "PK\x03\x04", *const end = "PK\x05\x06";
  EXPECT_EQ(message_of_zip(central, 8, '\x01'), "E0812 zip: entry `a.txt` is encrypted");
  EXPECT_EQ(message_of_zip(central, 10, '\x08'), "E0812 zip: entry `a.txt` is compressed (method 8), expected stored");
  EXPECT_EQ(message_of_zip(central, 16, 'x'), "E0817 zip: the data of entry `a.txt` does not match its checksum");
  EXPECT_EQ(message_of_zip(central, 46, 'b'), "E0811 zip: entry `b.txt` has another name in its own header");
  EXPECT_EQ(message_of_zip(central, 46, '/'), "E0813 zip entry name `/.txt` is absolute");
  EXPECT_EQ(message_of_zip(local, 0, 'x'), "E0811 zip: entry `a.txt` has no header where the central directory says");
  EXPECT_EQ(message_of_zip(local, 28, '\x7f'), "E0811 zip: entry `a.txt` reaches beyond the entries' part of the file");
  EXPECT_EQ(message_of_zip(end, 4, '\x01'), "E0812 zip: archives in several parts are not supported");
  EXPECT_EQ(message_of_zip(end, 12, '\x7f'), "E0811 zip: the central directory lies outside the file");
  EXPECT_EQ(message_of_zip(end, 0, 'x'), "E0810 not a zip archive, or its end is missing");
}

}  // namespace
}  // namespace sunmao::io
