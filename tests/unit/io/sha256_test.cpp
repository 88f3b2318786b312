#include "io/sha256.h"

#include <gtest/gtest.h>

#include <string>

#include "io/bytes.h"
#include "io/crc32.h"

namespace sunmao::io {
namespace {

std::string hash_in_pieces(std::string_view text, size_t piece, bool use_hardware) {
  Sha256 hash({.use_hardware = use_hardware});
  for (size_t at = 0; at < text.size(); at += piece) hash.update(as_bytes(text.substr(at, piece)));
  return to_hex(hash.finish());
}

class Sha256Test : public testing::TestWithParam<bool> {};

TEST_P(Sha256Test, KnownVectors) {
  const auto hash = [](std::string_view text) { return hash_in_pieces(text, 1000, GetParam()); };
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_P(Sha256Test, EveryLengthAroundABlockAgreesWithPython) {
  // Expected value from hashlib.sha256(b"".join(hashlib.sha256(bytes(range(n))).digest() for n in
  // range(200))).hexdigest().
  Sha256 all({.use_hardware = GetParam()});
  std::string text;
  for (int n = 0; n < 200; ++n) {
    Sha256 one({.use_hardware = GetParam()});
    one.update(as_bytes(text));
    const Sha256Digest digest = one.finish();
    all.update(std::as_bytes(std::span(digest)));
    text += static_cast<char>(static_cast<unsigned char>(n));
  }
  EXPECT_EQ(to_hex(all.finish()), "ba7b0fcea7d10c06b855b43d2b4dce1e3e842fff6be0acefb0faf4f2dd05bb47");
}

TEST_P(Sha256Test, PiecesMakeNoDifference) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7 % 251);
  const std::string whole = hash_in_pieces(text, text.size(), GetParam());
  for (size_t piece = 1; piece < 200; ++piece) EXPECT_EQ(hash_in_pieces(text, piece, GetParam()), whole) << piece;
}

INSTANTIATE_TEST_SUITE_P(PortableAndHardware, Sha256Test, testing::Bool());

TEST(Crc32, KnownVectorsAndPieces) {
  EXPECT_EQ(crc32({}), 0u);
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xcbf43926u);
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string_view all = text;
    EXPECT_EQ(crc32(as_bytes(all.substr(cut)), crc32(as_bytes(all.substr(0, cut)))), crc32(as_bytes(all)));
  }
}

TEST(Crc32, HardwareAndTablesAgree) {
  std::string text;
  for (size_t i = 0; i < 300; ++i) text += static_cast<char>(static_cast<unsigned char>(i * 151 + i / 7));
  for (size_t begin = 0; begin < 3; ++begin)
    for (size_t size = 0; begin + size <= text.size(); ++size) {
      const std::span<const std::byte> part = as_bytes(text).subspan(begin, size);
      EXPECT_EQ(crc32(part, 0x12345678), crc32(part, 0x12345678, {.use_hardware = false})) << begin << " " << size;
    }
}

}  // namespace
}  // namespace sunmao::io
