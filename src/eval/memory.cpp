#include "eval/memory.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {

void check_sizes(const std::vector<int64_t>& shape, const Span& span) {
  if (std::ranges::any_of(shape, [](int64_t d) { return d < 0; }))
    fail("E0506", span, fmt::format("there is no tensor of shape ({})", fmt::join(shape, ", ")));
}

Array Memory::allocate(DType dtype, std::vector<int64_t> shape) {
  ArrayBuilder builder(dtype, std::move(shape));
  std::byte* begin = builder.data();
  Array array = std::move(builder).finish();
  // What lies here now replaces what was here once.
  regions_.erase(regions_.lower_bound(begin), regions_.lower_bound(begin + array.size_bytes()));
  regions_.insert_or_assign(begin, Region{begin, array.size_bytes(), array.owner()});
  return array;
}

std::byte* Memory::writable(const Array& array) const {
  auto after = regions_.upper_bound(array.data());
  if (after == regions_.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  const bool is_same = !region.owner.owner_before(array.owner()) && !array.owner().owner_before(region.owner);
  if (!is_same || array.data() + array.size_bytes() > region.begin + region.size) return nullptr;
  return region.begin + (array.data() - region.begin);
}

}  // namespace sunmao
