// Multiplication of the weight of a matmul or convolution by a scale, which replaces the scaling of its data or result.
#pragma once
#include "ir/op.h"
#include "ops/simpler_forms.h"

namespace sunmao {

/// Returns `product` with its weight multiplied or divided (`op`) by `scale`, which is a vector along `axis` of the
/// weight or a scalar. Emits the computation of the new weight, not the product.
Ref<Call> with_scaled_weight(const Call& product, int axis, const char* op, const Expr& scale, const EmitFn& emit);

/// Returns `scale`, which is broadcast to rank `rank`, as a vector along `axis`, or unchanged when it is a scalar; null
/// when it varies along another axis, or its shape is unknown. Emits a reshape where one is needed.
Expr as_vector_along(const Expr& scale, int axis, int rank, Analyzer& analyzer, const EmitFn& emit);

}  // namespace sunmao
