// StoragePlan: which storage slot each intermediate tensor uses. Slots are reused as soon as their tensor is dead.
#pragma once
#include <vector>

#include "sym/analyzer.h"

namespace sunmao {

/// An intermediate tensor: its bytes, and the steps between which it must keep them, both included.
struct LiveTensor {
  Scalar bytes;
  int first_step, last_step;
};

struct StoragePlan {
  std::vector<int> slot_of;           // for each tensor
  std::vector<Scalar> bytes_of_slot;  // symbolic maximum over the tensors in it
};

/// `tensors` are in order of their first step.
StoragePlan plan_storage(const std::vector<LiveTensor>& tensors, Analyzer& analyzer);

}  // namespace sunmao
