// KnownStarts: what starting a function at some place does, where layouts alone decide its sizes.
#pragma once
#include <array>
#include <cstdint>

#include "runtime/layout.h"

namespace sunmao::runtime {

/// A small table; a start that it has lost is made as one that it never had. Layouts must outlive what it says of them:
/// `clear` it when one may have gone.
class KnownStarts {
 public:
  /// Where a call stands and what its sizes come from: the layout of its caller, and of the function whose results it
  /// takes over.
  struct Call {
    const uint32_t* words = nullptr;
    const Layout* caller = nullptr;
    const Layout* delivered = nullptr;
    bool operator==(const Call&) const = default;
  };
  struct Move {
    uint32_t from;  // a register of the caller, or kDelivered + a result
    uint32_t to;    // a register of the called function
  };
  static constexpr size_t kMostMoves = 8;
  struct Start {
    Call call;
    Layout* layout = nullptr;
    size_t at = 0;  // where the function begins, its parameters being in their registers
    size_t moves = 0;
    std::array<Move, kMostMoves> move = {};
  };

  /// Returns what is known of the call, or null.
  const Start* find(const Call& call) const {
    const Start& start = starts_[index(call)];
    return start.call == call ? &start : nullptr;
  }
  void insert(const Start& start) { starts_[index(start.call)] = start; }
  void clear() { starts_.fill({}); }

 private:
  static constexpr size_t kStarts = 64;
  static size_t index(const Call& call) { return reinterpret_cast<uintptr_t>(call.words) / sizeof(uint32_t) % kStarts; }

  std::array<Start, kStarts> starts_;
};

}  // namespace sunmao::runtime
