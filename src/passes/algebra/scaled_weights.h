// Products whose weight takes a scale of the data or of the result.
#pragma once
#include "ir/op.h"
#include "ops/simpler_forms.h"

namespace sunmao {

/// `product` with its weight multiplied by (or divided by, as `op` says) `scale`: a vector along `axis` of the weight,
/// or one number. The new weight is emitted, the product itself is not.
Ref<Call> with_scaled_weight(const Call& product, int axis, const char* op, const Expr& scale, const EmitFn& emit);

/// A scale that is broadcast to a tensor of `rank` as a vector along `axis`, or as it is when it is one number; null
/// when it varies along other axes. A new shape is emitted.
Expr as_vector_along(const Expr& scale, int axis, int rank, Analyzer& analyzer, const EmitFn& emit);

}  // namespace sunmao
