#include "eval/memory.h"

#include <algorithm>

#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {

void check_sizes(const std::vector<int64_t>& shape, DType dtype, const Span& span) {
  const std::string problem = shape_problem(shape, dtype);
  if (!problem.empty())
    fail("E0911", span,
         fmt::format("sizes do not work out: there is no tensor of shape {}: {}", shape_text(shape), problem));
}

Array Memory::allocate(DType dtype, std::vector<int64_t> shape) {
  ArrayBuilder builder(dtype, std::move(shape));
  std::byte* begin = builder.data();
  Array array = std::move(builder).finish();
  adopt(array, begin);
  return array;
}

void Memory::adopt(const Array& array, std::byte* begin) {
  // Removes expired regions whose addresses have been reused.
  regions_.erase(regions_.lower_bound(begin), regions_.lower_bound(begin + array.size_bytes()));
  regions_.insert_or_assign(begin, Region{.begin = begin, .size = array.size_bytes(), .owner = array.owner()});
}

const Memory::Region* Memory::find(const Array& array) const {
  auto after = regions_.upper_bound(array.data());
  if (after == regions_.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  const bool is_same = !region.owner.owner_before(array.owner()) && !array.owner().owner_before(region.owner);
  return is_same && array.data() + array.size_bytes() <= region.begin + region.size ? &region : nullptr;
}

Memory::Region* Memory::find(const Array& array) {
  const Region* region = std::as_const(*this).find(array);
  return region ? &regions_.at(region->begin) : nullptr;
}

std::byte* Memory::writable(const Array& array) const {
  const Region* region = find(array);
  return region ? region->begin + (array.data() - region->begin) : nullptr;
}

Seen Memory::seen(const Array& array) const {
  Seen out = Seen::Nothing;
  if (const Region* region = find(array))
    for (const Note& n : region->notes)
      if (n.begin < array.data() + array.size_bytes() && array.data() < n.end) out = std::max(out, n.seen);
  return out;
}

void Memory::note(const Array& array, Seen seen) {
  if (Region* region = find(array)) region->notes.push_back({array.data(), array.data() + array.size_bytes(), seen});
}

void Memory::forget(const Array& array) {
  Region* region = find(array);
  if (!region) return;
  const std::byte *begin = array.data(), *end = begin + array.size_bytes();
  std::vector<Note> left;
  for (const Note& n : region->notes) {
    if (n.begin < begin) left.push_back({n.begin, std::min(n.end, begin), n.seen});
    if (n.end > end) left.push_back({std::max(n.begin, end), n.end, n.seen});
  }
  region->notes = std::move(left);
}

}  // namespace sunmao
