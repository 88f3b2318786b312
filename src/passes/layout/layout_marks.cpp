#include "passes/layout/layout_marks.h"

#include "passes/weights/weight_dependence.h"

namespace sunmao {

std::unordered_set<Ref<Var>> weight_params(const Function& f, const std::string& name) {
  const std::optional<size_t> inputs = num_input(f, name);
  if (!inputs) return {};
  return {f.params.begin() + static_cast<std::ptrdiff_t>(*inputs), f.params.end()};
}

std::vector<int64_t> free_places(const std::vector<Expr>& tensors, const std::unordered_set<Ref<Var>>& weights) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Ref<Var> v = find_ref<Var>(tensors[i]);
    if (find<Constant>(tensors[i]) || (v && weights.contains(v))) places.push_back(static_cast<int64_t>(i));
  }
  return places;
}

}  // namespace sunmao
