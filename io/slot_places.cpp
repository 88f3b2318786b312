#include "io/slot_places.h"

#include <algorithm>

namespace sunmao::io {
namespace {

// Limits of the search for places that need little memory. One try takes time that grows with the square of the slots.
constexpr size_t kMostTries = 40;
constexpr size_t kMostSteps = size_t{1} << 20;

/// A placed slot.
struct Piece {
  uint64_t begin, end;
  SlotLife life;
};

bool overlap(const SlotLife& a, const SlotLife& b) { return a.first <= b.last && b.first <= a.last; }

/// Places slots one after another. `pieces` are sorted by their begin.
class Placement {
 public:
  Placement(std::span<const uint64_t> sizes, std::span<const SlotLife> lives, uint64_t limit)
      : sizes_(sizes), lives_(lives), limit_(limit) {
    places_.offsets.resize(sizes.size());
  }

  bool has_room() const { return places_.bytes <= limit_; }
  SlotPlaces& places() { return places_; }

  /// Puts a slot into the smallest gap that it fits into, or behind all slots that are alive at the same time.
  void place(size_t slot) {
    if (lives_[slot].first > lives_[slot].last) return;
    const uint64_t size = align_up(sizes_[slot]);
    uint64_t best = UINT64_MAX;
    uint64_t best_gap = UINT64_MAX;
    uint64_t end = 0;
    for (const Piece& piece : pieces_) {
      if (!overlap(piece.life, lives_[slot])) continue;
      if (piece.begin > end && piece.begin - end >= size && piece.begin - end < best_gap) {
        best = end;
        best_gap = piece.begin - end;
      }
      end = std::max(end, piece.end);
    }
    const uint64_t begin = best == UINT64_MAX ? end : best;
    places_.offsets[slot] = begin;
    places_.bytes = std::max(places_.bytes, begin + size);
    const auto at = std::upper_bound(pieces_.begin(), pieces_.end(), begin,
                                     [](uint64_t b, const Piece& piece) { return b < piece.begin; });
    pieces_.insert(at, {begin, begin + size, lives_[slot]});
  }

  /// Forgets slots that are dead before `now`.
  void forget_before(size_t now) {
    std::erase_if(pieces_, [now](const Piece& piece) { return piece.life.last < now; });
  }

 private:
  const std::span<const uint64_t> sizes_;
  const std::span<const SlotLife> lives_;
  const uint64_t limit_;
  SlotPlaces places_;
  std::vector<Piece> pieces_;
};

/// The bytes of slots that are alive between times.
class LiveBytes {
 public:
  LiveBytes(std::span<const uint64_t> sizes, std::span<const SlotLife> lives) {
    for (size_t slot = 0; slot < sizes.size(); ++slot) {
      if (lives[slot].first > lives[slot].last) continue;
      changes_.push_back({lives[slot].first, align_up(sizes[slot])});
      changes_.push_back({lives[slot].last + 1, -align_up(sizes[slot])});
    }
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
    uint64_t live = 0;
    for (Change& change : changes_) change.live = live += change.bytes;
  }
  /// Returns the most that are alive at one time of a life.
  uint64_t most_in(const SlotLife& life) const {
    auto change = std::lower_bound(changes_.begin(), changes_.end(), life.first,
                                   [](const Change& c, size_t at) { return c.at < at; });
    uint64_t most = 0;
    for (; change != changes_.end() && change->at <= life.last; ++change) {
      const bool is_last_there = change + 1 == changes_.end() || (change + 1)->at != change->at;
      if (is_last_there) most = std::max(most, change->live);
    }
    return most;
  }

 private:
  struct Change {
    size_t at;
    uint64_t bytes;  // added; of slots that die, wrapped around
    uint64_t live = 0;
  };
  std::vector<Change> changes_;
};

}  // namespace

std::optional<SlotPlaces> place_slots(std::span<const uint64_t> sizes, std::span<const SlotLife> lives,
                                      uint64_t limit) {
  std::vector<size_t> order(sizes.size());
  for (size_t slot = 0; slot < order.size(); ++slot) order[slot] = slot;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lives[a].first < lives[b].first; });
  Placement by_time(sizes, lives, limit);
  for (size_t i = 0; i < order.size() && by_time.has_room(); ++i) {
    by_time.forget_before(lives[order[i]].first);
    by_time.place(order[i]);
  }
  SlotPlaces& best = by_time.places();
  const LiveBytes live(sizes, lives);
  best.live_bytes = live.most_in({0, SIZE_MAX});
  // Then by size, and where most is alive first, because there is least choice. What lies highest goes first next.
  std::vector<uint64_t> most(sizes.size());
  for (size_t slot = 0; slot < sizes.size(); ++slot) most[slot] = live.most_in(lives[slot]);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  const size_t tries = std::min<size_t>(kMostTries, kMostSteps / std::max<size_t>(sizes.size() * sizes.size(), 1));
  for (size_t attempt = 0; attempt < tries && best.bytes > best.live_bytes; ++attempt) {
    if (attempt == 1)
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return most[a] > most[b]; });
    Placement other(sizes, lives, limit);
    for (size_t i = 0; i < order.size() && other.has_room(); ++i) other.place(order[i]);
    const SlotPlaces& places = other.places();
    std::stable_partition(order.begin(), order.end(),
                          [&](size_t slot) { return places.offsets[slot] + align_up(sizes[slot]) == places.bytes; });
    if (other.has_room() && places.bytes < best.bytes) {
      best.offsets = places.offsets;
      best.bytes = places.bytes;
    }
  }
  return by_time.has_room() ? std::optional(std::move(best)) : std::nullopt;
}

}  // namespace sunmao::io
