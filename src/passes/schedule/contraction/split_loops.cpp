#include "passes/schedule/contraction/split_loops.h"

#include <algorithm>
#include <ranges>

#include "loop/walk.h"

namespace sunmao {
namespace {

/// Replaces a spatial loop by one over its quotients and one over its remainders behind it.
void insert_split(StoreNest& nest, size_t i, const Ref<SymVar>& whole, const Ref<SymVar>& rest, int64_t by) {
  const auto at = static_cast<std::ptrdiff_t>(i) + 1;
  nest.extents[i] = IntImm::make(whole->dtype, *find_int(nest.extents[i]) / by);
  nest.loops[i] = whole;
  nest.loops.insert(nest.loops.begin() + at, rest);
  nest.extents.insert(nest.extents.begin() + at, IntImm::make(rest->dtype, by));
  nest.kinds.insert(nest.kinds.begin() + at, IterKind::Spatial);
}

}  // namespace

int64_t common_divisor(const std::vector<Scalar>& operands, const Ref<SymVar>& loop) {
  int64_t divisor = 0, all = 0, divided = 0;
  bool is_one = true;
  for (const Scalar& operand : operands)
    visit_all(operand, [&](const Scalar& s) {
      all += s.get() == loop.get();
      const auto* n = find<Binary>(s);
      if (!n || n->a.get() != loop.get() || (n->op != BinaryOp::FloorDiv && n->op != BinaryOp::FloorMod)) return;
      const int64_t* by = find_int(n->b);
      is_one = is_one && by && (divisor == 0 || divisor == *by);
      if (by) divisor = *by;
      ++divided;
    });
  return is_one && all == divided ? divisor : 0;
}

void split_loops(Contraction& c) {
  for (size_t i = 0; i < c.nest.loops.size(); ++i) {
    const Ref<SymVar> loop = c.nest.loops[i];
    const int64_t* extent = find_int(c.nest.extents[i]);
    const int64_t by = c.nest.kinds[i] == IterKind::Spatial && extent ? common_divisor({c.left, c.right}, loop) : 0;
    if (by < 2 || *extent % by != 0) continue;
    const Ref<SymVar> whole = SymVar::make(loop->name, loop->dtype),
                      rest = SymVar::make(loop->name + "_r", loop->dtype);
    const auto typed = [&](int64_t n) { return IntImm::make(loop->dtype, n); };
    for (Scalar* operand : {&c.left, &c.right})
      *operand = rewrite(*operand, [&](const Scalar& s) -> Scalar {
        const auto* n = find<Binary>(s);
        if (!n || n->a.get() != loop.get()) return nullptr;
        return n->op == BinaryOp::FloorDiv ? whole : n->op == BinaryOp::FloorMod ? rest : Ref<SymVar>();
      });
    for (Scalar& index : c.nest.indices) index = substitute(index, {{loop, whole * typed(by) + rest}});
    insert_split(c.nest, i, whole, rest, by);
    ++i;
  }
}

std::optional<Groups> take_groups(Contraction& c, size_t column) {
  const Ref<SymVar> loop = c.loop(column);
  const int64_t* extent = find_int(c.extent(column));
  for (Scalar* operand : {&c.left, &c.right}) {
    Scalar& other = operand == &c.left ? c.right : c.left;
    const int64_t by = extent && uses(other, *loop) ? common_divisor({*operand}, loop) : 0;
    bool has_rest = false;
    visit_all(*operand, [&](const Scalar& s) {
      const auto* n = find<Binary>(s);
      has_rest = has_rest || (n && n->op == BinaryOp::FloorMod && n->a.get() == loop.get());
    });
    if (by < 2 || *extent % by != 0 || has_rest) continue;
    const Ref<SymVar> group = SymVar::make(loop->name + "_g", loop->dtype);
    *operand = rewrite(*operand, [&](const Scalar& s) -> Scalar {
      const auto* n = find<Binary>(s);
      return n && n->a.get() == loop.get() ? group : Ref<SymVar>();
    });
    if (operand == &c.right) std::swap(c.left, c.right);
    return Groups{by, group};
  }
  return std::nullopt;
}

size_t split_groups(Contraction& c, size_t column, const Groups& groups) {
  const Ref<SymVar> loop = c.loop(column), rest = SymVar::make(loop->name, loop->dtype);
  const auto typed = [&](int64_t n) { return IntImm::make(loop->dtype, n); };
  const Substitution both{{loop, groups.number * typed(groups.width) + rest}};
  // Groups that are whole panels.
  c.right = rewrite(c.right, [&](const Scalar& s) -> Scalar {
    const auto* n = find<Binary>(s);
    if (!n || n->a.get() != loop.get() || (n->op != BinaryOp::FloorDiv && n->op != BinaryOp::FloorMod)) return nullptr;
    const int64_t* by = find_int(n->b);
    if (!by || groups.width % *by != 0) return nullptr;
    const bool is_one = *by == groups.width;
    if (n->op == BinaryOp::FloorMod) return is_one ? Scalar(rest) : floor_mod(rest, n->b);
    return is_one ? Scalar(groups.number) : groups.number * typed(groups.width / *by) + floor_div(rest, n->b);
  });
  c.right = substitute(c.right, both);
  for (Scalar& index : c.nest.indices) index = substitute(index, both);
  insert_split(c.nest, column, groups.number, rest, groups.width);
  return column + 1;
}

bool are_lanes(const Contraction& c, size_t column, const Groups& groups) {
  constexpr int64_t kNarrow = 8;
  if (groups.width > kNarrow || !is_contiguous(c.right, c.loop(column))) return false;
  const bool are_near = is_near(c.left, groups.number, kFarthest * groups.width);
  const auto is_row = [&](size_t i) {
    return i != column && c.nest.kinds[i] == IterKind::Spatial && uses(c.left, *c.loop(i)) &&
           !uses(c.right, *c.loop(i));
  };
  return are_near && std::ranges::any_of(std::views::iota(size_t{0}, c.nest.loops.size()), is_row);
}

}  // namespace sunmao
