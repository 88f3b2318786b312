// Symbolic execution of loop-level functions on integers: an element is a number or a scalar over symbols.
#pragma once
#include <optional>

#include "loop/prim_func.h"
#include "sym/analyzer.h"

namespace sunmao {

/// A small tensor of integers or booleans. Elements are int64 scalars (0 or 1 for booleans), null when unknown.
struct SymbolicTensor {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<Scalar> elements;  // in row-major order
  bool is_known() const;
};

/// Maximum number of elements of a tensor that is evaluated symbolically; tensors that hold shapes are smaller.
constexpr int64_t kMaxSymbolicElements = 256;
/// Returns the number of elements; nullopt when it or a dimension exceeds `kMaxSymbolicElements`, or a dimension is
/// negative or not a number.
std::optional<int64_t> small_count(const std::vector<Scalar>& shape);

/// What becomes of int32 arithmetic on sizes whose result may not fit: the result is unknown, since kernels wrap
/// around, or it is taken to fit.
enum class Int32Sizes { MayWrap, Fit };

/// Returns the tensors that a kernel writes; its first buffer parameters are `inputs`, the others the results. Nullopt
/// when a branch, a loop or an index depends on unknown values, when an index is out of range, when a result or a local
/// buffer is not a small tensor of integers or booleans, and for statements that are not supported or too many.
std::optional<std::vector<SymbolicTensor>> run_symbolically(const PrimFunc& kernel,
                                                            const std::vector<SymbolicTensor>& inputs,
                                                            Analyzer& analyzer,
                                                            Int32Sizes int32_sizes = Int32Sizes::MayWrap);

}  // namespace sunmao
