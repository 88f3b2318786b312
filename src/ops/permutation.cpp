#include "ops/permutation.h"

#include "ir/type.h"

namespace sunmao {

std::optional<std::vector<int64_t>> permutation_of(const Call& permute) {
  const auto* x = find<TensorType>(permute.args[0]->type);
  if (!x || x->rank == kUnknownRank) return std::nullopt;
  const AttrValue* given = permute.attrs.find("axes");
  std::optional<std::vector<int64_t>> axes = given ? given->as_ints() : std::nullopt;
  if (!axes) {
    axes.emplace();
    for (int64_t a = x->rank; a-- > 0;) axes->push_back(a);
  }
  for (int64_t& a : *axes)
    if (a < 0) a += x->rank;
  return axes;
}

}  // namespace sunmao
