#include "passes/loop/schedule.h"

#include "passes/loop/schedule_elementwise.h"
#include "passes/loop/schedule_packed_matmul.h"
#include "passes/loop/schedule_reduction.h"

namespace sunmao {

Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target) {
  return schedule_elementwise(schedule_reduction(schedule_packed_matmul(func, target), target), target);
}

}  // namespace sunmao
