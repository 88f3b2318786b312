#include "passes/schedule/schedule.h"

#include "passes/loop/buffer_views.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"
#include "passes/schedule/family.h"
#include "passes/schedule/schedule_blocks.h"
#include "passes/schedule/trailing_ones.h"

namespace sunmao {
namespace {

/// Returns the groups of a family among the statements from `begin` to `end`.
std::vector<StatementGroup> groups_of(const Family& family, const PrimFunc& func, const RootBody& root, size_t begin,
                                      size_t end) {
  std::vector<StatementGroup> out;
  for (size_t i = begin; i < end;) {
    std::optional<StatementGroup> group = family.recognise(func, root, i);
    i += group ? group->count : 1;
    if (group && i <= end) out.push_back(*std::move(group));
  }
  return out;
}

void replace(RootBody& root, size_t first, WrittenGroup written) {
  const auto at = root.stmts.begin() + static_cast<std::ptrdiff_t>(first);
  *at = std::move(written.loops);
  root.stmts.erase(at + 1, at + static_cast<std::ptrdiff_t>(written.count));
  root.temps.insert(root.temps.end(), written.temporaries.begin(), written.temporaries.end());
}

/// Writes the groups of one family, first to last. Where it declines one, it may have another that begins within.
Ref<PrimFunc> scheduled_by(const Family& family, const Ref<PrimFunc>& func, const Target& target) {
  if (!read_root(*func)) return func;
  const Ref<PrimFunc> named = family.has_views ? with_data_names(func) : func;
  RootBody root = *read_root(*named);
  std::vector<StatementGroup> groups = groups_of(family, *named, root, 0, root.stmts.size());
  const size_t count = groups.size();
  size_t gone = 0;  // statements before those that are left
  bool changed = false;
  for (size_t g = 0; g < groups.size(); ++g) {
    groups[g].first -= gone;
    if (std::optional<WrittenGroup> written = family.write({groups[g], *named, root, count}, target)) {
      gone += written->count - 1;
      replace(root, groups[g].first, *std::move(written));
      changed = true;
      continue;
    }
    const size_t begin = groups[g].first + 1, end = groups[g].first + groups[g].count;
    std::vector<StatementGroup> within = groups_of(family, *named, root, begin, end);
    for (StatementGroup& group : within) group.first += gone;
    groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(g) + 1, within.begin(), within.end());
  }
  return changed ? with_root(named, root) : func;
}

}  // namespace

// Dimensions of one element at the end hide what loops are: they are left out meanwhile.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target) {
  const Ref<PrimFunc> narrow = without_trailing_ones(func);
  Ref<PrimFunc> all = narrow;
  for (const Family* family : families()) all = scheduled_by(*family, all, target);
  all = schedule_blocks(all);
  return narrow == func ? all : all == narrow ? func : with_trailing_ones(all, func);
}

Module schedule(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return schedule(f, target); });
}

}  // namespace sunmao
