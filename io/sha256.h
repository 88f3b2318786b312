// SHA-256 (FIPS 180-4), in pieces or at once.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sunmao::io {

using Sha256Digest = std::array<uint8_t, 32>;

struct Sha256Options {
  bool use_hardware = true;  // the processor's SHA instructions, where it has them; the digest is the same
};

class Sha256 {
 public:
  explicit Sha256(Sha256Options options = {});
  void update(std::span<const std::byte> data);
  /// The digest of everything so far; the object is used up.
  Sha256Digest finish();

 private:
  using Blocks = void (*)(uint32_t* state, const std::byte* data, size_t count);

  std::array<uint32_t, 8> state_;
  std::array<std::byte, 64> pending_;
  uint64_t length_ = 0;  // bytes seen
  Blocks blocks_;
};

Sha256Digest sha256(std::span<const std::byte> data);
/// 64 lower-case digits.
std::string to_hex(const Sha256Digest& digest);

}  // namespace sunmao::io
