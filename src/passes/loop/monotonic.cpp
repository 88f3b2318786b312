#include "passes/loop/monotonic.h"

#include <algorithm>
#include <vector>

#include "sym/walk.h"

namespace sunmao {

bool is_monotonic(const Scalar& condition) {
  const auto* compared = find<Binary>(condition);
  const auto is_order = [](BinaryOp op) {
    return op == BinaryOp::Lt || op == BinaryOp::Le || op == BinaryOp::Gt || op == BinaryOp::Ge;
  };
  if (!compared || !is_order(compared->op)) return false;
  bool is_plain = true, divides = false, repeats = false;
  std::vector<const Node*> seen;
  for (const Scalar& side : {compared->a, compared->b})
    visit_all(side, [&](const Scalar& s) {
      const auto* n = find<Binary>(s);
      const bool is_sum = n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub);
      const bool is_scaled = n && n->op == BinaryOp::Mul && (find_int(n->a) || find_int(n->b));
      const bool is_divided = n && n->op == BinaryOp::FloorDiv && find_int(n->b) && *find_int(n->b) > 0;
      const bool is_leaf = find<SymVar>(s) || find<IntImm>(s) || find<Cast>(s);
      is_plain = is_plain && (is_leaf || is_sum || is_scaled || is_divided);
      divides = divides || is_divided;
      if (!find<SymVar>(s)) return;
      repeats = repeats || std::ranges::find(seen, s.get()) != seen.end();
      seen.push_back(s.get());
    });
  return is_plain && !(divides && repeats);
}

}  // namespace sunmao
