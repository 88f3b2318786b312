// In-place calls: which calls of a dataflow block may write to the memory of an argument, and how they do.
#pragma once
#include <vector>

#include "ir/builder.h"

namespace sunmao {

/// The bindings of a block between which a value is alive: from -1 for one from outside, to the number of bindings for
/// one that is read after the block. A field access is no use of its tuple: what the field is decides.
struct LiveRange {
  int64_t begin, end;
};
std::vector<std::pair<Ref<Var>, LiveRange>> live_ranges(const BindingBlock& block);

/// A binding of a block by its index, and the arguments of its call that may hold the result.
struct InplaceChance {
  int64_t binding;
  std::vector<int64_t> arguments;
};
struct InplaceChances {
  std::vector<InplaceChance> large_enough;  // arguments of as many elements as the result, or more
  std::vector<InplaceChance> same_shape;
};
/// `inputs` are values from outside of the block that may be overwritten.
InplaceChances find_inplace_chances(const BindingBlock& block, const std::vector<Ref<Var>>& inputs);

/// Makes loop-level functions that write to the memory of an argument, and adds them to a builder's module.
class InplaceCalls {
 public:
  explicit InplaceCalls(BlockBuilder& functions) : functions_(functions), plain_(functions.module()) {}
  /// Returns the call of an op as a call_tir_inplace that writes to argument `place`. Fails (E0539) for a call that has
  /// no loop-level function, one with several results, and an argument that is no tensor of the result's type.
  Ref<Call> write_to(const Call& call, int64_t place);

 private:
  BlockBuilder& functions_;
  BlockBuilder plain_;  // with the functions that do not write in place
};

}  // namespace sunmao
