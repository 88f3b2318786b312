// What the kinds of attention share.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Whether the score of a row and a column counts: not beyond the diagonal of the mask, nor further back than the
/// window. Null: always.
Scalar visible_score(const InferInput& in, const Scalar& row, const Scalar& column, const Scalar& rows,
                     const Scalar& columns);
Ref<BaseFunc> lower_attention_var_len(const Call& call);

}  // namespace sunmao
