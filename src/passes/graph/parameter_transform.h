// The two halves of a lifted function: the transform of its weights, and what is left to run.
#pragma once
#include "passes/graph/weight_work.h"

namespace sunmao {

/// What functions need of their weights once the work on them is lifted.
struct PreparedWeights {
  std::vector<Ref<Var>> values;      // raw weights first, then what was lifted, in common variables
  std::vector<Ref<SymVar>> symbols;  // what functions need to know and no prepared weight says
};
PreparedWeights find_prepared_weights(const std::vector<WorkSource>& sources, const WeightWork& work);

/// Whether a function takes just that already: there is nothing to lift.
bool is_all_prepared(const WeightWork& work, const PreparedWeights& prepared);

/// The transform: it takes one tuple, the raw weights in order, and gives one: the symbols as a shape, if there are
/// any, then the values; of one that is a tuple, its fields. Behind `old`, which prepared the weights so far, if there
/// is one. `names` are those of the raw weights.
Ref<Function> build_transform(const WeightWork& work, const PreparedWeights& prepared, const Ref<Function>& old,
                              const std::vector<std::string>& names, bool consume);

/// The function without what was lifted: prepared weights are its parameters in place of raw ones, under their own
/// names, no two of them the same.
Ref<Function> build_remainder(const WorkSource& source, const WeightWork& work, const WeightWork::Names& names,
                              const PreparedWeights& prepared);

/// The function before it was lifted: it takes the raw weights again, under `names`, and does what `transform` did.
Ref<Function> undo_transform(const WorkSource& source, const Ref<Function>& transform,
                             const std::vector<std::string>& names);

/// For each field of the result of `transform` that has a name in `names`, which of its parameters' fields it is made
/// of.
AttrMap prepared_from(const Function& transform, const std::vector<std::string>& names,
                      const std::vector<std::string>& raw_names);

}  // namespace sunmao
