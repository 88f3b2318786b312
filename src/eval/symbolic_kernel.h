// Loop-level functions on integers that are not all known: an element is a number, or a scalar over symbols.
#pragma once
#include <optional>

#include "loop/prim_func.h"
#include "sym/analyzer.h"

namespace sunmao {

/// A small tensor of integers or booleans. Elements are int64 scalars, a boolean is 0 or 1; null: not known.
struct SymbolicTensor {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<Scalar> elements;  // in C order
  bool is_known() const;
};

/// More elements are no shape.
constexpr int64_t kMaxSymbolicElements = 256;
/// The number of elements; nullopt beyond `kMaxSymbolicElements`, and where a dimension is not a number.
std::optional<int64_t> small_count(const std::vector<Scalar>& shape);

/// What a kernel writes: its first parameters are `inputs`, the buffers behind them the results. nullopt where a
/// branch, a loop or an index depends on what is not known, and where it computes with anything but integers.
std::optional<std::vector<SymbolicTensor>> run_symbolically(const PrimFunc& kernel,
                                                            const std::vector<SymbolicTensor>& inputs,
                                                            Analyzer& analyzer);

}  // namespace sunmao
