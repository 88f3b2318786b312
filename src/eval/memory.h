// Memory that programs allocate themselves: arrays that kernels may fill. All other arrays stay as they are.
#pragma once
#include <map>

#include "eval/value.h"
#include "support/span.h"

namespace sunmao {

/// E0911 when no array can have these sizes.
void check_sizes(const std::vector<int64_t>& shape, DType dtype, const Span& span);

class Memory {
 public:
  /// New zeroed elements that kernels may write, through this array and all that share its bytes.
  Array allocate(DType dtype, std::vector<int64_t> shape);
  /// The bytes of `array` to write to; null when they are not of an array that was allocated here.
  std::byte* writable(const Array& array) const;

  /// What the bytes of an array of this memory were made from, as `note` said of them; Nothing for other arrays.
  Seen seen(const Array& array) const;
  void note(const Array& array, Seen seen);
  /// The array is a new one: what was noted of its bytes was of another.
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

  std::map<const std::byte*, Region> regions_;  // by where they begin; those that are gone are not looked at
};

}  // namespace sunmao
