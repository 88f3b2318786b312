// SHA-256 (FIPS 180-4), incremental or of a single buffer.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sunmao::io {

using Sha256Digest = std::array<uint8_t, 32>;

struct Sha256Options {
  bool use_hardware = true;  // use the processor's SHA instructions if present; the digest is the same
};

class Sha256 {
 public:
  explicit Sha256(Sha256Options options = {});
  void update(std::span<const std::byte> data);
  /// Returns the digest of all data so far; the object must not be used afterwards.
  Sha256Digest finish();

 private:
  using Blocks = void (*)(uint32_t* state, const std::byte* data, size_t count);

  std::array<uint32_t, 8> state_;
  std::array<std::byte, 64> pending_;
  uint64_t length_ = 0;  // bytes seen
  Blocks blocks_;
};

Sha256Digest sha256(std::span<const std::byte> data);
/// Returns the digest as 64 lower-case hexadecimal digits.
std::string to_hex(const Sha256Digest& digest);

}  // namespace sunmao::io
