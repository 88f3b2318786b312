// A search for a small subset of items for which a test still holds (delta debugging).
#pragma once
#include <cstddef>
#include <vector>

namespace sunmao::reduction {

using Indices = std::vector<size_t>;

namespace detail {
inline Indices joined(const std::vector<Indices>& chunks, size_t without) {
  Indices out;
  for (size_t i = 0; i < chunks.size(); ++i)
    if (i != without) out.insert(out.end(), chunks[i].begin(), chunks[i].end());
  return out;
}

inline std::vector<Indices> halved(const std::vector<Indices>& chunks) {
  std::vector<Indices> out;
  for (const Indices& c : chunks) {
    const auto middle = c.begin() + static_cast<Indices::difference_type>(c.size() / 2);
    if (middle != c.begin()) out.emplace_back(c.begin(), middle);
    out.emplace_back(middle, c.end());
  }
  return out;
}
}  // namespace detail

/// Returns a subset of the items 0 … count - 1, in order, for which `test` holds, as it does for all of them: no single
/// item can be left out of it. Halves are tried first, so that one item out of n is found in O(log n) tests.
template <class Test>
Indices minimal_subset(size_t count, Test test) {
  constexpr size_t kAlone = 16;  // with more chunks than these, no chunk is tried alone
  if (count == 0 || test(Indices{})) return {};
  std::vector<Indices> chunks(1);
  for (size_t i = 0; i < count; ++i) chunks[0].push_back(i);
  for (bool removes = true; removes;) {
    const size_t before = chunks.size();
    chunks = detail::halved(chunks);
    const bool is_finest = chunks.size() == before;
    removes = !is_finest;
    const size_t tried = chunks.size() > 1 && chunks.size() <= kAlone ? chunks.size() : 0;
    bool is_alone = false;
    for (size_t i = 0; i < tried && !is_alone; ++i)
      if (test(chunks[i])) {
        chunks = {Indices(chunks[i])};
        is_alone = true;
      }
    if (is_alone) {
      removes = true;
      continue;
    }
    for (size_t i = 0; i < chunks.size() && chunks.size() > 1;)
      if (test(detail::joined(chunks, i))) {
        chunks.erase(chunks.begin() + static_cast<std::vector<Indices>::difference_type>(i));
        removes = true;
      } else {
        ++i;
      }
  }
  return detail::joined(chunks, chunks.size());
}

}  // namespace sunmao::reduction
