#include "io/zip_format.h"

#include <algorithm>

#include "io/concat.h"

namespace sunmao::io::zip_format {

namespace {

uint64_t get(std::span<const std::byte> data, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint64_t>(data[at + i - 1]);
  return value;
}

void put(std::string& out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

}  // namespace

uint16_t get16(std::span<const std::byte> data, size_t at) { return static_cast<uint16_t>(get(data, at, 2)); }
uint32_t get32(std::span<const std::byte> data, size_t at) { return static_cast<uint32_t>(get(data, at, 4)); }
uint64_t get64(std::span<const std::byte> data, size_t at) { return get(data, at, 8); }

void put16(std::string& out, uint64_t value) { put(out, value, 2); }
void put32(std::string& out, uint64_t value) { put(out, value, 4); }
void put64(std::string& out, uint64_t value) { put(out, value, 8); }

Status check_name(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return Status::error("E0813", concat("zip entry name ", quoted(name), " ", why));
  };
  if (name.empty()) return refuse("is empty");
  if (name.size() > kSee64In16) return refuse("is longer than 65535 bytes");
  if (name.front() == '/') return refuse("is absolute");
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_odd)) return refuse("has a backslash or a control character");
  if (name.size() > 1 && name[1] == ':') return refuse("has a drive letter");
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return refuse("has an empty, `.` or `..` part");
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return {};
}

}  // namespace sunmao::io::zip_format
