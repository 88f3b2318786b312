// KnownStarts: what starting a function at some place does, where layouts alone decide its sizes.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "runtime/layout.h"
#include "runtime/program.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// A small table; a start that it has lost is made as one that it never had. Layouts must outlive what it says of them:
/// `clear` it when one may have gone.
class KnownStarts {
 public:
  struct Move {
    uint32_t from;  // a register of the caller, or the number of a result
    uint32_t to;    // a register of the called function
  };
  static constexpr size_t kMostMoves = 8;
  /// How arguments come to their registers: first moves from registers, in this order; then those that stay where they
  /// are; then moves of what was delivered.
  struct Moves {
    std::array<Move, kMostMoves> move = {};
    uint8_t moving = 0, staying = 0, all = 0;  // ends of the three parts
    bool is_circle = false;                    // in any order, the first part writes what is yet to be read

    /// Adds a move; false when there is no room. Parts must be added in their order.
    bool add(Move m);
    void order();
  };
  struct Start {
    // Where the call stands and what its sizes come from: the layout of its caller, and of the function whose results
    // it takes over; null: it takes none.
    const uint32_t* words = nullptr;
    const Layout* caller = nullptr;
    const Layout* delivered = nullptr;
    Layout* layout = nullptr;
    const FunctionView* view = nullptr;
    const uint32_t* at = nullptr;  // where the function begins, its parameters being in their registers
    uint64_t arena_bytes = 0;
    Moves moves = {};
  };

  /// Returns what is known of the call, or null.
  const Start* find(const uint32_t* words, const Layout* caller, const Layout* delivered) const {
    const Start& start = starts_[index(words)];
    const bool is_it =
        start.words == words && start.caller == caller && (!start.delivered || start.delivered == delivered);
    return is_it ? &start : nullptr;
  }
  void insert(const Start& start) { starts_[index(start.words)] = start; }
  void clear() { starts_.fill({}); }

 private:
  static constexpr size_t kStarts = 64;
  static size_t index(const uint32_t* words) { return reinterpret_cast<uintptr_t>(words) / sizeof(uint32_t) % kStarts; }

  std::array<Start, kStarts> starts_;
};

}  // namespace sunmao::runtime
