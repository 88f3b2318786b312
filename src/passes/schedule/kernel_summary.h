// KernelSummary: what a kernel is before it is scheduled. Fusion, layouts of weights and the placement of temporaries
// ask it. It depends on the kernel's loops alone: the graph is the same for every instruction set and machine.
#pragma once
#include <set>
#include <string>

#include "passes/schedule/family.h"

namespace sunmao {

struct KernelSummary {
  /// Temporaries that memory holds as a whole, by name: statements of different groups use them. What a single group
  /// uses, its family computes a tile or a row at a time.
  std::set<std::string> held;
};

KernelSummary summarize_kernel(const Ref<PrimFunc>& func);

}  // namespace sunmao
