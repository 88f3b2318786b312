// Declarations shared by the files of attention ops.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Returns the condition under which the score at (row, column) is kept: inside the causal mask and within the window.
/// Null when the call has neither.
Scalar visible_score(const InferInput& in, const Scalar& row, const Scalar& column, const Scalar& rows,
                     const Scalar& columns);
/// Returns what softmax subtracts from scores of which this is the greatest: 0 where all are -inf, so that weights are
/// 0 there, not NaN.
Scalar softmax_shift(const Scalar& greatest);
/// Returns what a value is multiplied with: of bfloat16 operands the weight is rounded to bfloat16, so that such
/// products may be taken in pairs.
Scalar weight_factor(const Scalar& weight, DType operands);
Ref<BaseFunc> lower_attention_var_len(const Call& call);
void register_product_attention(OpTable& ops);

}  // namespace sunmao
