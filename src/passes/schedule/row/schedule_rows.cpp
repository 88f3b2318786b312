#include "passes/schedule/row/schedule_rows.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/schedule_reduction.h"
#include "passes/schedule/map/schedule_elementwise.h"
#include "passes/schedule/row/attention.h"
#include "passes/schedule/row/quotients.h"
#include "passes/schedule/row/rows.h"
#include "passes/schedule/row/rows_in_registers.h"
#include "passes/schedule/row/write_attention.h"

namespace sunmao {
namespace {

/// Returns the hint, on the way of the last reduction of a group, that the same elements of the next row will be read,
/// where the first statement passes over them: later ones find a row in the cache, and compute more.
std::function<Stmt(const Scalar& at)> next_row(const RowGroup& group, const StoreNest& last) {
  constexpr int64_t kLong = 256;  // elements: what is shorter, processors fetch of themselves
  const StoreNest& first = group.nests[0];
  const int64_t* size = find_int(last.extents.back());
  if (first.is_spatial() || first.loops.size() != 1 || last.loops.size() != 1 || (size && *size < kLong) ||
      !structural_equal(first.extents[0], last.extents[0]))
    return {};
  const Ref<SymVar>&row = group.rows.back(), &loop = first.loops[0];
  const Scalar last_row = compare(BinaryOp::Sub, as_index(group.extents.back()), int_imm(1)),
               next = min(sum(as_index(row), int_imm(1)), last_row);
  std::vector<Stmt> hints;
  for_each_load(first.value, [&](const BufferLoad& l) {
    const bool is_along = l.indices.back().get() == loop.get();
    const bool moves = std::ranges::any_of(l.indices, [&](const Scalar& i) { return uses(i, *row); });
    if (!is_along || !moves) return;
    std::vector<Scalar> there;
    for (const Scalar& i : l.indices) there.push_back(substitute(i, {{row, as_type_of(row, next)}}));
    hints.push_back(prefetch(l.buffer, there));
  });
  if (hints.empty()) return {};
  return [all = Seq::make(std::move(hints)), loop](const Scalar& at) {
    return substitute(all, {{loop, as_type_of(loop, at)}});
  };
}

/// Returns the statements of a row, which pass over it one after the other; null when one of them has no vector form:
/// then none is taken, though a shorter group might have one.
Stmt row_in_passes(const RowGroup& group, const Target& target) {
  size_t last = group.nests.size();
  while (last-- > 0 && group.nests[last].is_spatial()) {
  }
  const auto reduction = [&](size_t i, const StoreNest* made) {
    return serial_reduction(group.nests[i], target,
                            {made, i == last && i > 0 ? next_row(group, group.nests[i]) : nullptr});
  };
  const auto elementwise = [&](const StoreNest& nest) { return serial_elementwise(nest, target); };
  std::vector<Stmt> steps;
  for (size_t i = 0; i < group.nests.size(); ++i) {
    const StoreNest& nest = group.nests[i];
    const bool may_be_kept = nest.is_spatial() && i + 1 < group.nests.size() && !group.nests[i + 1].is_spatial();
    if (Stmt both = may_be_kept ? reduction(i + 1, &nest) : nullptr) {
      steps.push_back(std::move(both));
      ++i;
      continue;
    }
    steps.push_back(nest.is_spatial() ? with_reciprocals({nest}, elementwise) : reduction(i, nullptr));
    if (!steps.back()) return nullptr;
  }
  Stmt body = Seq::make(std::move(steps));
  for (const Ref<Buffer>& b : group.local) body = AllocBuffer::make(b, body);
  return body;
}

/// Returns the statements of a group in one loop over its rows; null when they have no vector form.
Stmt in_one_loop(const RowGroup& group, const Target& target) {
  if (Stmt registers = rows_in_registers(group, target)) return registers;
  const Stmt body = row_in_passes(group, target);
  if (!body) return nullptr;
  if (group.rows.size() == 1) return chunked_loop(group.rows[0], group.extents[0], group.row_size, body);
  const Ref<SymVar> row = SymVar::make("row");
  return chunked_loop(row, count_of_rows(group), group.row_size, substitute(body, place_of_row(group, row)));
}

/// Replaces each group of statements that starts at a statement and has a schedule.
Ref<PrimFunc> with_groups(const Ref<PrimFunc>& func,
                          const std::function<std::pair<Stmt, size_t>(const RootBody&, size_t first)>& schedule) {
  std::optional<RootBody> root = read_root(*func);
  if (!root) return func;
  bool changed = false;
  for (size_t i = 0; i < root->stmts.size(); ++i) {
    const auto [scheduled, count] = schedule(*root, i);
    if (!scheduled) continue;
    changed = true;
    const auto first = root->stmts.begin() + static_cast<std::ptrdiff_t>(i);
    root->stmts.erase(first + 1, first + static_cast<std::ptrdiff_t>(count));
    root->stmts[i] = scheduled;
  }
  return changed ? with_root(func, *root) : func;
}

}  // namespace

Ref<PrimFunc> schedule_attention(const Ref<PrimFunc>& func, const Target& target) {
  return with_groups(func, [&](const RootBody& root, size_t first) -> std::pair<Stmt, size_t> {
    const std::optional<Attention> attention = read_attention(*func, root, first);
    return attention ? std::pair(write_attention(*attention, target), attention->count) : std::pair(Stmt(), size_t{0});
  });
}

Ref<PrimFunc> schedule_rows(const Ref<PrimFunc>& func, const Target& target) {
  return with_groups(func, [&](const RootBody& root, size_t first) -> std::pair<Stmt, size_t> {
    const std::optional<RowGroup> group = read_rows(*func, root, first);
    return group ? std::pair(in_one_loop(*group, target), group->count) : std::pair(Stmt(), size_t{0});
  });
}

}  // namespace sunmao
