// EntryAxes: which axes of its parameters the entry part of a function has looked at.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "abi/bytecode.h"

namespace sunmao::runtime {

class EntryAxes {
 public:
  explicit EntryAxes(std::span<const abi::ValueRecord> params);

  /// Records a `BindDim` or, with `is_check`, a `CheckDim`.
  void note(size_t param, uint32_t axis, bool is_check);
  /// True for an axis with a `CheckDim` or, where its size is a symbol, at least a `BindDim`.
  bool is_done(size_t param, uint32_t axis, bool is_symbol) const;

 private:
  enum class Seen : uint8_t { Nothing, Bound, Checked };

  std::vector<size_t> first_;  // per parameter, into seen_
  std::vector<Seen> seen_;
};

}  // namespace sunmao::runtime
