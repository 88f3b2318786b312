#include "ops/matrices.h"

#include <fmt/format.h>

namespace sunmao {

void need_matrices(const InferInput& in, size_t i) {
  const TensorType& a = in.tensor(i);
  need_float(in, a);
  if (a.rank != kUnknownRank && a.rank < 2)
    in.error("E0307", fmt::format("`{}` needs rank 2 or more, got {}", in.op.inputs()[i]->name, a.rank));
}

void need_square(const InferInput& in, size_t i) {
  need_matrices(in, i);
  const TensorType& a = in.tensor(i);
  if (a.rank == kUnknownRank || !a.dims()) return;
  const Scalar &rows = (*a.dims())[a.dims()->size() - 2], &columns = a.dims()->back();
  if (!in.can_agree(rows, columns))
    in.error("E0309", fmt::format("`{}` has {} rows and {} columns", in.op.inputs()[i]->name, describe(rows),
                                  describe(columns)));
}

Type in_batch_of(const TensorType& a, DType dtype, std::vector<Scalar> own) {
  std::vector<Scalar> dims(written(a)->begin(), written(a)->end() - 2);
  dims.insert(dims.end(), own.begin(), own.end());
  return TensorType::make(std::move(dims), dtype, a.vdevice);
}

}  // namespace sunmao
