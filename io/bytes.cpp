#include "io/bytes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sunmao::io {

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

Bytes Bytes::from(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::span<const std::byte> view = as_bytes(*owner);
  return Bytes(view, std::move(owner));
}

Bytes Bytes::from(std::vector<std::byte> buffer) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(buffer));
  const std::span<const std::byte> view = *owner;
  return Bytes(view, std::move(owner));
}

Bytes Bytes::copy_of(std::span<const std::byte> view) { return from(std::vector<std::byte>(view.begin(), view.end())); }

std::string_view Bytes::text() const {
  const void* data = view_.data();
  return {static_cast<const char*>(data), view_.size()};
}

uint64_t total_size(const Chunks& chunks) {
  uint64_t size = 0;
  for (const Bytes& chunk : chunks) size += chunk.size();
  return size;
}

Bytes join(const Chunks& chunks) {
  std::vector<std::byte> all;
  all.reserve(total_size(chunks));
  for (const Bytes& chunk : chunks) all.insert(all.end(), chunk.span().begin(), chunk.span().end());
  return Bytes::from(std::move(all));
}

void append_zeros(Chunks& chunks, uint64_t count) {
  static std::array<std::byte, 4096> kZeros;  // never written; not const, so that no file has to hold them
  while (count > 0) {
    const size_t part = std::min<uint64_t>(count, kZeros.size());
    chunks.push_back(Bytes::borrowed(std::span(kZeros).first(part)));
    count -= part;
  }
}

}  // namespace sunmao::io
