#include "passes/layout/layout_marks.h"

namespace sunmao {

std::vector<int64_t> free_places(const std::vector<Expr>& tensors, const std::unordered_set<Ref<Var>>& weights) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Ref<Var> v = find_ref<Var>(tensors[i]);
    if (find<Constant>(tensors[i]) || (v && weights.contains(v))) places.push_back(static_cast<int64_t>(i));
  }
  return places;
}

}  // namespace sunmao
