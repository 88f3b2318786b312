#include "passes/schedule/schedule.h"

#include "passes/loop/kernel_forms.h"
#include "passes/loop/schedule_blocks.h"
#include "passes/loop/schedule_reduction.h"
#include "passes/passes.h"
#include "passes/schedule/contraction/schedule_contraction.h"
#include "passes/schedule/map/schedule_elementwise.h"
#include "passes/schedule/row/schedule_rows.h"
#include "passes/schedule/trailing_ones.h"

namespace sunmao {

Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target) {
  const Ref<PrimFunc> narrow = without_trailing_ones(func);
  const Ref<PrimFunc> products = schedule_contraction(schedule_attention(narrow, target), target);
  const Ref<PrimFunc> rows = schedule_rows(products, target);
  const Ref<PrimFunc> all = schedule_blocks(schedule_elementwise(schedule_reduction(rows, target), target));
  return narrow == func ? all : all == narrow ? func : with_trailing_ones(all, func);
}

Module schedule(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return schedule(f, target); });
}

}  // namespace sunmao
