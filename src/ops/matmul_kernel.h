// Loop-level kernels of matrix products, for the matmul op and for passes that emit such kernels.
#pragma once
#include "ir/op.h"
#include "loop/prim_func.h"

namespace sunmao {

/// Storage of the right operand of a product: (…, k, columns) or (…, columns, k).
enum class RightOperand : uint8_t { AsWritten, Transposed };

/// Returns the kernel of a times b with a result of type `out`; all shapes are known.
Ref<BaseFunc> matmul_kernel(const Type& a, const Type& b, const Type& out, RightOperand right);

/// True when a call of permute_dims swaps the last two axes and leaves the others.
bool swaps_last_two(const Call& permute);

}  // namespace sunmao
