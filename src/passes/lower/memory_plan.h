// MemoryPlan: where the tensors of a function lie that its kernels fill, as bytecode has them: in the memory of the
// function, which those share that are not alive at the same time, in a result, or in memory of their own where other
// functions get them.
#pragma once
#include <optional>

#include "io/slot_places.h"
#include "ir/module.h"

namespace sunmao {

/// A tensor that a kernel fills.
struct PlannedTensor {
  Type type;
  Scalar bytes;
  bool is_slot = false;                 // it lies in the memory of the function
  std::optional<uint64_t> offset = {};  // there; none where sizes decide it
  io::SlotLife life = {};               // in steps
};

/// What the binding of a kernel call becomes: for each result the number of a tensor.
struct PlannedCall {
  std::vector<int> tensors;
  size_t step;
};

struct MemoryPlan {
  std::vector<PlannedTensor> tensors;
  /// By the variables that kernel calls are bound to; without the calls of which only a run knows where results lie.
  std::unordered_map<Ref<Var>, PlannedCall> calls;
  /// The steps that bindings are; those that only name values are none.
  std::unordered_map<Ref<Var>, size_t> steps;
  uint64_t storage_bytes = 0;  // of the tensors whose place is known
  /// The tensors in the function's memory by the step that uses them last, in order.
  std::unordered_map<size_t, std::vector<int>> ending;
  size_t storage_end = 0;  // the last step that uses a tensor whose place is known

  const PlannedTensor& tensor(int number) const { return tensors[static_cast<size_t>(number)]; }
};

/// `is_inner`: other functions call it, which get its results wherever they lie.
MemoryPlan plan_of(const Module& module, const Function& f, bool is_inner);

}  // namespace sunmao
