// Products of matrices as loops, for the op and for what puts a kernel in its place.
#pragma once
#include "ir/op.h"
#include "loop/prim_func.h"

namespace sunmao {

/// How the right operand of a product is stored: (…, k, columns), or (…, columns, k).
enum class RightOperand : uint8_t { AsWritten, Transposed };

/// a times b, of types whose shapes are known, into a result of type `out`.
Ref<BaseFunc> matmul_kernel(const Type& a, const Type& b, const Type& out, RightOperand right);

/// Whether a call of permute_dims swaps the last two axes and leaves the others.
bool swaps_last_two(const Call& permute);

}  // namespace sunmao
