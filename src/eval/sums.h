// Sums of products in a nest of loops that reduce, which are run without a call for each term.
#pragma once
#include <functional>
#include <optional>

#include "eval/scalar_program.h"
#include "loop/stmt.h"

namespace sunmao {

/// A nest of loops around `C[i] = C[i] + L * R`, or `+ L`: the loops are all that reduce, C's indices have none of
/// their variables, and those of L and R are affine in them.
struct SumNest {
  struct Loop {
    const For* loop;
    const SymVar* iter;  // the block's variable that is the loop's
  };
  std::vector<Loop> loops;
  const BlockRealize* realize;
  const BufferStore* store;
  std::vector<Scalar> factors;  // one or two loads, perhaps cast to the sum's dtype
};

/// Returns the nest that begins with `outermost`; nullopt for other loops.
std::optional<SumNest> find_sum_nest(const For& outermost);

/// Runs a nest and returns how many terms it has; nullopt, with nothing written, when its loops have to be run one by
/// one, because an index is out of bounds or C shares memory with a factor.
using SumFn = std::function<std::optional<uint64_t>(Frame&)>;

/// `init` is the block's, and may be empty.
SumFn compile_sum_nest(const SumNest& nest, ScalarCompiler& scalars, std::function<void(Frame&)> init);

}  // namespace sunmao
