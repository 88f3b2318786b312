#include "io/zip.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "damage.h"
#include "hex.h"
#include "io/crc32.h"
#include "io/mapped_file.h"

namespace sunmao::io {
namespace {

using test::unhex;

// Written by Python's zipfile: stored entries, a folder, an empty entry, a deflated one, and a comment that contains a
// signature.
const std::string kPythonZip = unhex(
    "504b030414000000000000002100afac1b560700000007000000130000006d6f64656c2f6d616e69666573742e6a736f6e7b"
    "2261223a317d504b030414000000000000002100000000000000000000000000080000006d6f64656c2f642f504b03041400"
    "00080000000021003c2ea60d28000000280000000e0000006d6f64656c2f77c3a96967687473000102030405060708090a0b"
    "0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627504b0304140000000000000021000000000000000000"
    "0000000005000000656d707479504b030414000000080000002100647a70af0600000064000000080000006465666c617465"
    "644b4ca43d0000504b0102140314000000000000002100afac1b560700000007000000130000000000000000000000800100"
    "0000006d6f64656c2f6d616e69666573742e6a736f6e504b0102140314000000000000002100000000000000000000000000"
    "0800000000000000000000008001380000006d6f64656c2f642f504b01021403140000080000000021003c2ea60d28000000"
    "280000000e000000000000000000000080015e0000006d6f64656c2f77c3a96967687473504b010214031400000000000000"
    "21000000000000000000000000000500000000000000000000008001b2000000656d707479504b0102140314000000080000"
    "002100647a70af06000000640000000800000000000000000000008001d50000006465666c61746564504b05060000000005"
    "0005001c010000010100001f006120636f6d6d656e7420504b050620776974682061207369676e6174757265");

// In the layout of PyTorchFileWriter: sizes only in the central directory, data descriptors, padding in `FB` fields,
// and 64-bit end records throughout.
const std::string kTorchZip = unhex(
    "504b03040000080800000000000000000000000000000000000017000b006d2f646174612f776569676874732f7765696768"
    "745f30464207005a5a5a5a5a5a5a000102030405060708090a0b0c0d0e0f504b070888e2cece1000000010000000504b0304"
    "00000808000000000000000000000000000000000000090039006d2f76657273696f6e464235005a5a5a5a5a5a5a5a5a5a5a"
    "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a30504b070821dfdb"
    "f40100000001000000504b0304000000080000000000000000000000000000000000001d0034006d2f646174612f73616d70"
    "6c655f696e707574732f6d6f64656c2e7074464230005a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
    "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a504b010200000000080800000000000088e2cece10000000100000001700"
    "000000000000000000000000000000006d2f646174612f776569676874732f7765696768745f30504b010200000000080800"
    "000000000021dfdbf401000000010000000900000000000000000000000000600000006d2f76657273696f6e504b01020000"
    "000000080000000000000000000000000000000000001d00000000000000000000000000d10000006d2f646174612f73616d"
    "706c655f696e707574732f6d6f64656c2e7074504b06062c000000000000001e032d00000000000000000003000000000000"
    "000300000000000000c7000000000000004001000000000000504b060700000000070200000000000001000000504b050600"
    "00000003000300c7000000400100000000");

Result<ZipReader> open_zip(const std::string& text) { return ZipReader::open(Bytes::from(text)); }

std::string zip_error(const std::string& text) { return open_zip(text).code(); }

std::string zip_file(const std::vector<std::pair<std::string, std::string>>& entries, uint32_t alignment = 64) {
  ZipWriter writer;
  for (const auto& [name, text] : entries) EXPECT_TRUE(writer.add(name, text, alignment).ok());
  return std::string(join(std::move(writer).finish()).text());
}

/// Returns `text` with the two (with16) or four (with32) bytes at `at` replaced; a negative `at` counts from the end.
std::string with16(std::string text, int64_t at, uint16_t value) {
  const size_t i = static_cast<size_t>(at < 0 ? at + static_cast<int64_t>(text.size()) : at);
  text[i] = static_cast<char>(value & 0xff);
  text[i + 1] = static_cast<char>(value >> 8);
  return text;
}
std::string with32(const std::string& text, int64_t at, uint32_t value) {
  return with16(with16(text, at, static_cast<uint16_t>(value & 0xffff)), at + 2, static_cast<uint16_t>(value >> 16));
}

TEST(ZipReader, ReadsWhatPythonWrites) {
  const Result<ZipReader> zip = open_zip(kPythonZip);
  ASSERT_TRUE(zip.ok()) << zip.status().to_string();
  ASSERT_EQ(zip->entries().size(), 4u) << "without the folder";
  EXPECT_EQ(zip->entries()[0].name, "model/manifest.json");
  EXPECT_EQ(zip->read("model/manifest.json")->text(), "{\"a\":1}");
  EXPECT_EQ(zip->read("model/w\u00e9ights")->size(), 40u);
  EXPECT_EQ(zip->read("empty")->size(), 0u);
  for (const char* name : {"model/manifest.json", "model/w\u00e9ights", "empty"}) {
    EXPECT_TRUE(zip->check(*zip->find(name)).ok()) << name;
  }
  EXPECT_FALSE(zip->has("model/d/"));
}

TEST(ZipReader, ReadsWhatTorchWrites) {
  const Result<ZipReader> zip = open_zip(kTorchZip);
  ASSERT_TRUE(zip.ok()) << zip.status().to_string();
  ASSERT_EQ(zip->entries().size(), 3u);
  for (const ZipEntry& entry : zip->entries()) {
    EXPECT_EQ(entry.offset % 64, 0u) << entry.name;
    EXPECT_TRUE(zip->check(entry).ok()) << entry.name;
  }
  EXPECT_EQ(zip->read("m/data/weights/weight_0")->size(), 16u);
  EXPECT_EQ(zip->read("m/version")->text(), "0");
}

TEST(ZipReader, DataIsInPlaceAndKeepsTheArchiveAlive) {
  Bytes archive = Bytes::from(zip_file({{"a", "hello"}}));
  const std::byte* begin = archive.data();
  const size_t size = archive.size();
  const Result<Bytes> data = ZipReader::open(std::move(archive))->read("a");
  ASSERT_TRUE(data.ok());
  EXPECT_GE(data->data(), begin);
  EXPECT_LT(data->data(), begin + size);
  EXPECT_EQ(data->text(), "hello");
}

TEST(ZipWriter, RoundTripWithAlignment) {
  ZipWriter writer;
  ASSERT_TRUE(writer.add("manifest.json", "{}", 1).ok());
  ASSERT_TRUE(
      writer.add("code/x86-64", Chunks{Bytes::from(std::string("ab")), Bytes::from(std::string("cd"))}, 4096).ok());
  ASSERT_TRUE(writer.add("empty", "", 16384).ok());
  ASSERT_TRUE(writer.add("weights.safetensors", std::string(10000, 'w')).ok());
  const Result<ZipReader> zip = ZipReader::open(join(std::move(writer).finish()));
  ASSERT_TRUE(zip.ok()) << zip.status().to_string();
  for (const ZipEntry& entry : zip->entries()) EXPECT_TRUE(zip->check(entry).ok()) << entry.name;
  EXPECT_EQ(zip->read("code/x86-64")->text(), "abcd");
  EXPECT_EQ(zip->find("code/x86-64")->offset % 4096, 0u);
  EXPECT_EQ(zip->find("empty")->offset % 16384, 0u);
  EXPECT_EQ(zip->find("weights.safetensors")->offset % 64, 0u);
}

TEST(ZipWriter, EveryNameLengthIsAligned) {
  for (size_t length = 1; length < 150; ++length) {
    const Result<ZipReader> zip = open_zip(zip_file({{std::string(length, 'n'), "x"}}));
    ASSERT_TRUE(zip.ok());
    EXPECT_EQ(zip->entries()[0].offset % 64, 0u) << length;
  }
}

TEST(ZipWriter, SameInputSameBytes) {
  EXPECT_EQ(zip_file({{"a", "1"}, {"b", "2"}}), zip_file({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(open_zip(zip_file({}))->entries().size(), 0u);
}

TEST(ZipWriter, ManyEntriesNeed64BitRecords) {
  ZipWriter writer;
  for (int i = 0; i < 65536; ++i) ASSERT_TRUE(writer.add(std::to_string(i), "", 1).ok());
  const Result<ZipReader> zip = ZipReader::open(join(std::move(writer).finish()));
  ASSERT_TRUE(zip.ok()) << zip.status().to_string();
  EXPECT_EQ(zip->entries().size(), 65536u);
  EXPECT_TRUE(zip->has("65535"));
}

#ifndef SUNMAO_SANITIZED  // a checksum of 4 GiB takes minutes under sanitizers
TEST(ZipWriter, EntriesBeyond4GiBNeed64BitRecords) {
  const Bytes block = Bytes::from(std::vector<std::byte>(size_t{1} << 26));
  ZipWriter writer;
  ASSERT_TRUE(writer.add("large", Chunks(65, block)).ok());
  ASSERT_TRUE(writer.add("after", "small").ok());
  const Chunks chunks = std::move(writer).finish();

  // Zero blocks are left as holes, so the file takes no memory.
  FileDescriptor file(memfd_create("zip", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(total_size(chunks))), 0);
  off_t at = 0;
  for (const Bytes& chunk : chunks) {
    if (chunk.data() != block.data()) {
      ASSERT_EQ(pwrite(file.get(), chunk.data(), chunk.size(), at), static_cast<ssize_t>(chunk.size()));
    }
    at += static_cast<off_t>(chunk.size());
  }
  const Result<std::shared_ptr<const MappedFile>> mapped = MappedFile::map(std::move(file), "zip");
  ASSERT_TRUE(mapped.ok()) << mapped.status().to_string();
  const Result<ZipReader> zip = ZipReader::open(bytes_of(*mapped));
  ASSERT_TRUE(zip.ok()) << zip.status().to_string();
  EXPECT_EQ(zip->find("large")->size, uint64_t{65} << 26);
  EXPECT_GT(zip->find("after")->offset, uint64_t{65} << 26);
  EXPECT_EQ(zip->read("after")->text(), "small");
}
#endif

TEST(ZipReader, E0810NoEnd) {
  EXPECT_EQ(zip_error(""), "E0810");
  EXPECT_EQ(zip_error("PK\x03\x04 and more text that goes on"), "E0810");
  EXPECT_EQ(zip_error(std::string(100000, 'P')), "E0810");
  EXPECT_EQ(zip_error(kPythonZip + "x"), "E0810") << "bytes after the end";
}

TEST(ZipReader, E0811DamagedRecords) {
  const std::string zip = zip_file({{"a", "hello"}});
  EXPECT_EQ(zip_error(with32(zip, -6, 0x7fffffff)), "E0811") << "directory beyond the file";
  EXPECT_EQ(zip_error(with32(zip, -10, 0x7fffffff)), "E0811") << "directory too large";
  EXPECT_EQ(zip_error(with16(with16(zip, -12, 60000), -14, 60000)), "E0811") << "too many entries";
  EXPECT_EQ(zip_error(with32(zip, 0, 0)), "E0811") << "no local header";
  EXPECT_EQ(zip_error(with16(zip, 28, 0xffff)), "E0811") << "extra field beyond the file";
  EXPECT_EQ(zip_error(with16(zip, 30, 'b')), "E0811") << "another name in the local header";
  const int64_t central = static_cast<int64_t>(zip.size()) - 22 - 47;
  EXPECT_EQ(zip_error(with32(zip, central, 0)), "E0811") << "no central record";
  EXPECT_EQ(zip_error(with32(zip, central + 20, 6)), "E0811") << "stored with two sizes";
  EXPECT_EQ(zip_error(with32(with32(zip, central + 20, 500), central + 24, 500)), "E0811") << "size beyond the file";
  EXPECT_EQ(zip_error(with32(zip, central + 20, 0xffffffff)), "E0811") << "64-bit size that is not there";
  EXPECT_EQ(zip_error(with32(zip, central + 42, 0xfffffffe)), "E0811") << "header beyond the file";
  EXPECT_EQ(zip_error(with16(zip, central + 32, 9)), "E0811") << "comment beyond the directory";
}

TEST(ZipReader, E0811EndRecordsThatContradictEachOther) {
  const int64_t end64 = static_cast<int64_t>(kTorchZip.size()) - 22 - 20 - 56;
  EXPECT_EQ(zip_error(with32(kTorchZip, end64 + 32, 2)), "E0811");
  EXPECT_EQ(zip_error(with32(kTorchZip, end64 + 48, 0)), "E0811");
  EXPECT_EQ(zip_error(with32(kTorchZip, end64, 0)), "E0811");
  EXPECT_EQ(zip_error(with32(kTorchZip, -22 - 20 + 8, 0xffffff)), "E0811");
}

TEST(ZipReader, E0812WhatIsNotSupported) {
  const Result<ZipReader> zip = open_zip(kPythonZip);
  EXPECT_STREQ(zip->read("deflated").code(), "E0812");
  EXPECT_NE(zip->read("deflated").status().help().find("zip -0"), std::string::npos);
  const std::string plain = zip_file({{"a", "hello"}});
  const int64_t central = static_cast<int64_t>(plain.size()) - 22 - 47;
  EXPECT_STREQ(open_zip(with16(plain, central + 8, 1))->read("a").code(), "E0812") << "encrypted";
  EXPECT_EQ(zip_error(with16(plain, -18, 1)), "E0812") << "in several parts";
}

TEST(Zip, E0813Names) {
  for (const char* name :
       {"", "/a", "../a", "a/../b", "a/..", "./a", "a//b", "a\\b", "C:/a", "C:a", "a\nb", "/", ".."}) {
    ZipWriter writer;
    EXPECT_STREQ(writer.add(name, "x").code(), "E0813") << name;
  }
  ZipWriter writer;
  EXPECT_STREQ(writer.add("a/", "").code(), "E0813") << "folders are made by their files";
  EXPECT_STREQ(writer.add(std::string(65536, 'a'), "").code(), "E0813");
  std::string zip = zip_file({{"aa/bb", "x"}});
  for (size_t at = zip.find("aa/bb"); at != std::string::npos; at = zip.find("aa/bb", at)) zip.replace(at, 5, "../bb");
  EXPECT_EQ(zip_error(zip), "E0813");
}

TEST(Zip, E0814Duplicates) {
  std::string zip = zip_file({{"name_1", "x"}, {"name_2", "y"}});
  EXPECT_EQ(zip_error(zip), "");
  for (size_t at = zip.find("name_2"); at != std::string::npos; at = zip.find("name_2", at))
    zip.replace(at, 6, "name_1");
  EXPECT_EQ(zip_error(zip), "E0814");
  ZipWriter writer;
  ASSERT_TRUE(writer.add("a", "x").ok());
  EXPECT_STREQ(writer.add("a", "y").code(), "E0814");
}

TEST(ZipReader, E0815Overlap) {
  // The second record points to a header inside the first entry's data.
  const std::string inner = zip_file({{"b", "secret"}}, 1);
  std::string zip = zip_file({{"a", inner.substr(0, 37)}, {"b", "secret"}}, 1);
  const size_t central = zip.rfind("PK\x01\x02");
  EXPECT_EQ(zip_error(zip), "");
  EXPECT_EQ(zip_error(with32(zip, static_cast<int64_t>(central + 42), 31)), "E0815");
}

TEST(ZipReader, E0816MissingEntry) { EXPECT_STREQ(open_zip(kTorchZip)->read("m/nothing").code(), "E0816"); }

TEST(ZipReader, E0817Checksum) {
  std::string zip = zip_file({{"a", "hello"}});
  zip[zip.find("hello")] = 'j';
  const Result<ZipReader> reader = open_zip(zip);
  ASSERT_TRUE(reader.ok());
  EXPECT_STREQ(reader->check(reader->entries()[0]).code(), "E0817");
}

TEST(ZipWriter, E0818Alignment) {
  for (const uint32_t alignment : {0u, 3u, 32768u}) {
    ZipWriter writer;
    EXPECT_STREQ(writer.add("a", "x", alignment).code(), "E0818") << alignment;
  }
}

TEST(ZipReader, EveryCutIsAnError) {
  for (const std::string& zip : {kPythonZip, kTorchZip, zip_file({{"a", "hello"}, {"b", "world"}})}) {
    test::for_every_cut(zip, [](const std::string& cut) { EXPECT_FALSE(open_zip(cut).ok()) << cut.size(); });
  }
}

TEST(ZipReader, FlippedBytesNeverReadOutside) {
  uint64_t bytes = 0;
  for (const std::string& zip : {kPythonZip, kTorchZip}) {
    test::for_flipped_bytes(zip, 4000, [&](const std::string& text) {
      const Result<ZipReader> reader = open_zip(text);
      if (!reader.ok()) return;
      for (const ZipEntry& entry : reader->entries()) {
        const Result<Bytes> data = reader->read(entry);
        if (data.ok()) bytes += crc32(data->span()) & 1;
      }
    });
  }
  EXPECT_GT(bytes, 0u);
}

}  // namespace
}  // namespace sunmao::io
