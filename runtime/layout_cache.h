// LayoutCache: the layouts of one function in a session, keyed by input shapes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/layout.h"

namespace sunmao::runtime {

/// Holds up to kMaxLayouts, and more while more are in use, and evicts the least recently used. The address of a layout
/// is stable while it is cached; one in use is not evicted.
class LayoutCache {
 public:
  static constexpr size_t kMaxLayouts = 256;

  /// Returns the layout for these shapes, or nullptr.
  Layout* find(std::span<const int64_t> shapes);
  Layout* insert(Layout layout);
  /// Returns the layout that was used last if it is for these shapes; null otherwise.
  Layout* find_newest(std::span<const int64_t> shapes) {
    if (newest_ >= entries_.size() || !is_for(entries_[newest_]->layout, shapes)) return nullptr;
    entries_[newest_]->last_use = ++clock_;
    return &entries_[newest_]->layout;
  }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t hash;
    uint64_t last_use;
    Layout layout;
  };

  // A loop of its own: shapes are a few numbers, for which a call would take longer.
  static bool is_for(const Layout& layout, std::span<const int64_t> shapes) {
    if (shapes.size() != layout.shapes.size()) return false;
    for (size_t i = 0; i < shapes.size(); ++i)
      if (shapes[i] != layout.shapes[i]) return false;
    return true;
  }

  std::vector<std::unique_ptr<Entry>> entries_;
  size_t newest_ = 0;  // index of the most recently used entry, which is tried first
  uint64_t clock_ = 0;
};

}  // namespace sunmao::runtime
