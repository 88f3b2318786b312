// The layouts that a session keeps for one function, by input shapes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/layout.h"

namespace sunmao::runtime {

/// Holds up to kMaxLayouts; then the one not used for longest goes. A layout stays where it is while it is kept.
class LayoutCache {
 public:
  static constexpr size_t kMaxLayouts = 256;

  /// nullptr when there is none for these shapes.
  Layout* find(std::span<const int64_t> shapes);
  Layout* insert(Layout layout);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t hash;
    uint64_t last_use;
    Layout layout;
  };

  std::vector<std::unique_ptr<Entry>> entries_;
  size_t newest_ = 0;  // the entry used last, which is tried first
  uint64_t clock_ = 0;
};

}  // namespace sunmao::runtime
