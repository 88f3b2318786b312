// Bytes: read-only memory together with what keeps it alive. Slices share the owner, so nothing is copied.
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
  /// Memory that the caller keeps alive for as long as any slice is in use.
  static Bytes borrowed(std::span<const std::byte> view) { return Bytes(view, nullptr); }

  const std::byte* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::span<const std::byte> span() const { return view_; }
  std::string_view text() const;
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// True when [offset, offset + size) lies inside; no overflow whatever the numbers.
  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= view_.size() && size <= view_.size() - offset;
  }
  /// The part [offset, offset + size), which must be contained.
  Bytes slice(size_t offset, size_t size) const { return Bytes(view_.subspan(offset, size), owner_); }
  /// `part`, a span inside these bytes, with the owner.
  Bytes slice(std::span<const std::byte> part) const { return Bytes(part, owner_); }

 private:
  std::span<const std::byte> view_;
  std::shared_ptr<const void> owner_;
};

/// A file to be written, piece after piece; the pieces are not copied together.
using Chunks = std::vector<Bytes>;

/// The sum of the sizes.
uint64_t total_size(const Chunks& chunks);
/// All pieces in one buffer: for small files and tests.
Bytes join(const Chunks& chunks);
/// Appends `count` zero bytes.
void append_zeros(Chunks& chunks, uint64_t count);

std::span<const std::byte> as_bytes(std::string_view text);

}  // namespace sunmao::io
