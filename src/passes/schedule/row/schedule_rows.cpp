#include "passes/schedule/row/schedule_rows.h"

#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/schedule_reduction.h"
#include "passes/schedule/row/attention.h"
#include "passes/schedule/row/quotients.h"
#include "passes/schedule/row/rows.h"
#include "passes/schedule/row/write_attention.h"

namespace sunmao {
namespace {

/// Returns the statements of a group in one loop over its rows; null when one of them has no vector form: then none is
/// taken, though a shorter group might have one.
Stmt in_one_loop(const RowGroup& group, const Target& target) {
  std::vector<Stmt> steps;
  for (size_t i = 0; i < group.nests.size(); ++i) {
    const StoreNest& nest = group.nests[i];
    const bool may_be_kept = nest.is_spatial() && i + 1 < group.nests.size() && !group.nests[i + 1].is_spatial();
    if (Stmt both = may_be_kept ? serial_reduction(group.nests[i + 1], target, &nest) : nullptr) {
      steps.push_back(std::move(both));
      ++i;
      continue;
    }
    steps.push_back(nest.is_spatial() ? elementwise_of_row(nest, target) : serial_reduction(nest, target));
    if (!steps.back()) return nullptr;
  }
  Stmt body = Seq::make(std::move(steps));
  for (const Ref<Buffer>& b : group.local) body = AllocBuffer::make(b, body);
  if (group.rows.size() == 1) return chunked_loop(group.rows[0], group.extents[0], group.row_size, body);
  const Ref<SymVar> row = SymVar::make("row");
  Scalar count = int_imm(1);
  for (const Scalar& extent : group.extents) count = product(count, as_index(extent));
  Substitution at;
  split_number(row, group.rows, group.extents, at);
  return chunked_loop(row, count, group.row_size, substitute(body, at));
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
