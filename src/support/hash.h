// Hashing that gives the same value in every run and on every machine.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

namespace sunmao {

class Hasher {
 public:
  Hasher& add(uint64_t value) {
    state_ = (std::rotl(state_, 5) ^ value) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
    return *this;
  }
  Hasher& add(double value) { return add(std::bit_cast<uint64_t>(value)); }
  Hasher& add(std::string_view text) {
    add(static_cast<uint64_t>(text.size()));
    for (char c : text) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    return add(state_ >> 32);
  }
  uint64_t value() const { return state_ ^ (state_ >> 32); }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace sunmao
