// StoragePlan: assigns intermediate tensors to storage slots. A slot is reused once its tensor is dead.
#pragma once
#include <vector>

#include "sym/analyzer.h"

namespace sunmao {

/// An intermediate tensor: its size in bytes, and its live range from first to last step, inclusive.
struct LiveTensor {
  Scalar bytes;
  int first_step, last_step;
};

struct StoragePlan {
  std::vector<int> slot_of;           // by tensor
  std::vector<Scalar> bytes_of_slot;  // symbolic maximum over the slot's tensors
};

/// `tensors` must be ordered by first step.
StoragePlan plan_storage(const std::vector<LiveTensor>& tensors, Analyzer& analyzer);

}  // namespace sunmao
