// Kernels that write updates at indices held in tensors, in time that grows with the number of updates.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// The tensors of a scatter, and the updates, which are taken in order. Lines have no element in common: each takes all
/// updates, and an update of a line goes to one element of it.
struct Scatter {
  const Call& call;
  Ref<Buffer> data, y;
  std::vector<Ref<Buffer>> reads;
  std::string reduction;               // "add", "mul", "min", "max", "mean"; other words: replacement
  std::vector<Scalar> lines, updates;  // extents
  /// Returns the indices that update `r` has for line `at`, each with the axis that it belongs to.
  std::function<std::vector<std::pair<size_t, Scalar>>(const Indices& at, const Indices& r)> targets;
  bool targets_know_line = false;  // else they depend on the update alone
  bool from_end = true;            // an index below 0 counts from the end
  /// Returns the indices of the element of line `at` that the targets say.
  std::function<Indices(const Indices& at, const Indices& targets)> element;
  std::function<Scalar(const Indices& at, const Indices& r)> value;
};

/// Returns the kernel that copies the data and takes the updates; it fails (E0919) for an index out of range.
Ref<BaseFunc> scattered(KernelBuilder& k, const Scatter& s);

}  // namespace sunmao
