// Bytes: read-only memory together with its owner. Slices share the owner, so no data is copied.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::io {

class Bytes {
 public:
  Bytes() = default;  // empty
  Bytes(std::span<const std::byte> view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  static Bytes from(std::string text);
  static Bytes from(std::vector<std::byte> buffer);
  static Bytes copy_of(std::span<const std::byte> view);
  /// Refers to memory that the caller keeps alive as long as any slice is in use.
  static Bytes borrowed(std::span<const std::byte> view) { return Bytes(view, nullptr); }

  const std::byte* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::span<const std::byte> span() const { return view_; }
  std::string_view text() const;
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// True when [offset, offset + size) lies inside; safe against overflow.
  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= view_.size() && size <= view_.size() - offset;
  }
  /// Returns the part [offset, offset + size), which must be contained.
  Bytes slice(size_t offset, size_t size) const { return Bytes(view_.subspan(offset, size), owner_); }
  /// Returns `part`, a span inside these bytes, with the same owner.
  Bytes slice(std::span<const std::byte> part) const { return Bytes(part, owner_); }

 private:
  std::span<const std::byte> view_;
  std::shared_ptr<const void> owner_;
};

/// The contents of a file to be written, as consecutive pieces that are not copied together.
using Chunks = std::vector<Bytes>;

/// A piece of a file, and where it lies in it.
struct PlacedBytes {
  uint64_t offset;
  Bytes data;
};

/// Returns the total size of the pieces.
uint64_t total_size(const Chunks& chunks);
/// Concatenates the pieces into one buffer.
Bytes join(const Chunks& chunks);
/// Appends `count` zero bytes.
void append_zeros(Chunks& chunks, uint64_t count);

std::span<const std::byte> as_bytes(std::string_view text);

}  // namespace sunmao::io
