#include "codegen/vm/storage_plan.h"

namespace sunmao {
namespace {

// Returns how badly a free slot fits a size: 0 equal, 1 larger, 2 smaller, 3 undecided. A slot that is too small is
// grown, since fewer slots need less memory.
int mismatch(const Scalar& slot, const Scalar& wanted, Analyzer& analyzer) {
  if (analyzer.can_prove_equal(slot, wanted)) return 0;
  if (analyzer.can_prove(Binary::make(BinaryOp::Ge, slot, wanted))) return 1;
  return analyzer.can_prove(Binary::make(BinaryOp::Lt, slot, wanted)) ? 2 : 3;
}

}  // namespace

StoragePlan plan_storage(const std::vector<LiveTensor>& tensors, Analyzer& analyzer) {
  StoragePlan plan;
  std::vector<int> busy_until;  // for each slot, the last step of its tensor
  for (const LiveTensor& t : tensors) {
    int best = -1, best_mismatch = 0;
    for (size_t s = 0; s < busy_until.size(); ++s) {
      if (busy_until[s] >= t.first_step) continue;
      int m = mismatch(plan.bytes_of_slot[s], t.bytes, analyzer);
      if (best < 0 || m < best_mismatch) best = static_cast<int>(s), best_mismatch = m;
    }
    if (best < 0) {
      best = static_cast<int>(busy_until.size());
      busy_until.push_back(0);
      plan.bytes_of_slot.push_back(t.bytes);
    }
    size_t slot = static_cast<size_t>(best);
    plan.bytes_of_slot[slot] = analyzer.simplify(max(plan.bytes_of_slot[slot], t.bytes));
    busy_until[slot] = t.last_step;
    plan.slot_of.push_back(best);
  }
  return plan;
}

}  // namespace sunmao
