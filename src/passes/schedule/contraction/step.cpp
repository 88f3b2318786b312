#include "passes/schedule/contraction/step.h"

#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"

namespace sunmao {

int64_t step_lanes(const Contraction& c, const Target& target) {
  return vector_lanes(BufferStore::make(c.nest.buffer, c.left * c.right, c.nest.indices), target);
}

int64_t step_bytes(const Contraction& c) { return c.right->dtype.bytes(); }

bool has_vector_step(const Contraction& c, const Scalar& right, int64_t lanes) {
  const Ref<SymVar>& column = c.loop(c.column);
  const Scalar product = c.left * right;
  const Ref<Buffer> probe = Buffer::make("probe", product->dtype, {c.extent(c.column)});
  return vectorize(BufferStore::make(probe, product, {column}), column, IntImm::make(column->dtype, 0),
                   static_cast<int>(lanes))
      .has_value();
}

Scalar step_sum(const Contraction&, const Scalar& sum, const Scalar& left, const Scalar& right) {
  return sum + left * right;
}

}  // namespace sunmao
