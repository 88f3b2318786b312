#include "runtime/layout_cache.h"

#include <algorithm>

namespace sunmao::runtime {
namespace {

// FNV-1a, applied to 64-bit words instead of bytes.
uint64_t hash_of(std::span<const int64_t> shapes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const int64_t dim : shapes) hash = (hash ^ static_cast<uint64_t>(dim)) * 0x100000001b3;
  return hash;
}

}  // namespace

Layout* LayoutCache::find(std::span<const int64_t> shapes) {
  if (Layout* newest = find_newest(shapes)) return newest;
  const uint64_t hash = hash_of(shapes);
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i]->hash != hash || !is_for(entries_[i]->layout, shapes)) continue;
    newest_ = i;
    entries_[i]->last_use = ++clock_;
    return &entries_[i]->layout;
  }
  return nullptr;
}

Layout* LayoutCache::insert(Layout layout) {
  const uint64_t hash = hash_of(layout.shapes);
  auto entry = std::make_unique<Entry>(Entry{hash, ++clock_, std::move(layout)});
  const auto is_older = [](const auto& a, const auto& b) {
    return std::pair(a->layout.users > 0, a->last_use) < std::pair(b->layout.users > 0, b->last_use);
  };
  const auto oldest = std::min_element(entries_.begin(), entries_.end(), is_older);
  if (entries_.size() < kMaxLayouts || (*oldest)->layout.users > 0) {
    entries_.push_back(std::move(entry));
    newest_ = entries_.size() - 1;
  } else {
    *oldest = std::move(entry);
    newest_ = static_cast<size_t>(oldest - entries_.begin());
  }
  return &entries_[newest_]->layout;
}

}  // namespace sunmao::runtime
