// Storage of a JsonDocument: the text, and nodes and unescaped strings in chunks that never move.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/bytes.h"
#include "io/json.h"

namespace sunmao::io::json_detail {

// Objects with up to this many members are searched linearly. Larger ones have an additional node after their members,
// whose `order` lists the members sorted by compare_keys.
inline constexpr uint32_t kSearchedOneByOne = 8;

struct Storage {
  Bytes text;
  const Node* root = nullptr;

  /// Returns uninitialised memory for `count` objects of a trivial type, valid as long as the storage.
  template <class T>
  T* allocate(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    void* memory = allocate_bytes(count * sizeof(T));
    return static_cast<T*>(memory);
  }

 private:
  static constexpr size_t kAlignment = 8;
  static constexpr size_t kFirstChunk = 1024;
  static constexpr size_t kLargestChunk = size_t{1} << 20;

  std::byte* allocate_bytes(size_t size) {
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (size > left_) {
      const size_t chunk = std::max(size, next_chunk_);
      next_chunk_ = std::min(next_chunk_ * 2, kLargestChunk);
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk));
      free_ = chunks_.back().get();
      left_ = chunk;
    }
    std::byte* memory = free_;
    free_ += size;
    left_ -= size;
    return memory;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* free_ = nullptr;
  size_t left_ = 0;
  size_t next_chunk_ = kFirstChunk;
};

/// A total order of keys for look-ups: by length, which is compared fastest, then by bytes.
inline int compare_keys(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

inline std::string_view key_at(const Node* members, size_t index) {
  return {members[2 * index].text, members[2 * index].size};
}

}  // namespace sunmao::io::json_detail
