// Memory: arrays allocated by the program, which kernels may write. All other arrays are immutable.
#pragma once
#include <map>

#include "eval/value.h"
#include "support/span.h"

namespace sunmao {

/// Fails (E0911) when no array can have these sizes.
void check_sizes(const std::vector<int64_t>& shape, DType dtype, const Span& span);

class Memory {
 public:
  /// Allocates zeroed memory; kernels may write to it through this array and all arrays that share it.
  Array allocate(DType dtype, std::vector<int64_t> shape);
  /// Makes memory of the host writable, that of `array`, which begins at `begin`, for as long as its owner lives.
  void adopt(const Array& array, std::byte* begin);
  /// Returns the writable bytes of `array`; null when they were neither allocated nor adopted here.
  std::byte* writable(const Array& array) const;

  /// Returns the maximum taint recorded by `note` for any of the array's bytes; Nothing when none is recorded.
  Seen seen(const Array& array) const;
  void note(const Array& array, Seen seen);
  /// Discards the taint of the array's bytes, since the array is a new one in reused memory.
  void forget(const Array& array);

 private:
  struct Note {
    const std::byte *begin, *end;
    Seen seen;
  };
  struct Region {
    std::byte* begin;
    size_t size;
    std::weak_ptr<const void> owner;
    std::vector<Note> notes = {};
  };
  Region* find(const Array& array);
  const Region* find(const Array& array) const;

  std::map<const std::byte*, Region> regions_;  // by begin address; expired regions remain but are ignored
};

}  // namespace sunmao
