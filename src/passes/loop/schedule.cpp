#include "passes/loop/schedule.h"

#include "passes/loop/kernel_forms.h"
#include "passes/loop/schedule_elementwise.h"
#include "passes/loop/schedule_packed_matmul.h"
#include "passes/loop/schedule_reduction.h"
#include "passes/passes.h"

namespace sunmao {

Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target) {
  return schedule_elementwise(schedule_reduction(schedule_packed_matmul(func, target), target), target);
}

Module schedule(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return schedule(f, target); });
}

}  // namespace sunmao
