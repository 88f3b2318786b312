#include "passes/schedule/row/reduction.h"

#include "loop/builder.h"
#include "passes/loop/loop_writing.h"
#include "sym/equal.h"

namespace sunmao {

Scalar Reduction::neutral() const {
  if (combine == BinaryOp::Add) return constant(nest.buffer->dtype, 0);
  return combine == BinaryOp::Mul ? constant(nest.buffer->dtype, 1) : nest.init;
}

Scalar Reduction::from_init(const Scalar& all) const {
  return structural_equal(nest.init, neutral()) ? all : combined(nest.init, all);
}

std::optional<Reduction> read_reduction(const StoreNest& nest) {
  if (nest.is_spatial() || nest.predicate || !nest.init) return std::nullopt;
  const auto* update = find<Binary>(nest.value);
  if (!update) return std::nullopt;
  const bool is_known = update->op == BinaryOp::Add || update->op == BinaryOp::Mul || update->op == BinaryOp::Max ||
                        update->op == BinaryOp::Min;
  const bool own_first = is_own_element(nest, update->a);
  if (!is_known || (!own_first && !is_own_element(nest, update->b))) return std::nullopt;
  Reduction r{.nest = nest,
              .combine = update->op,
              .element = own_first ? update->b : update->a,
              .spatial = {},
              .reduced = {},
              .epilogue = {}};
  bool reads_out = false;
  for_each_load(r.element, [&](const BufferLoad& load) { reads_out |= load.buffer == nest.buffer; });
  for_each_load(nest.init, [&](const BufferLoad&) { reads_out = true; });
  if (reads_out) return std::nullopt;
  for (size_t i = 0; i < nest.loops.size(); ++i)
    (nest.kinds[i] == IterKind::Spatial ? r.spatial : r.reduced).push_back(i);
  return r;
}

std::optional<Reduction> read_reduction(const Stmt& s, const Stmt& before) {
  std::optional<StoreNest> nest = read_store_nest(s);
  if (nest && !nest->init && before && covers_buffer(*nest)) nest->init = initial_value(before, *nest);
  return nest ? read_reduction(*nest) : std::nullopt;
}

Stmt combined_lanes(const Reduction& r, const Ref<Buffer>& vector) {
  const Scalar zero = int_imm(0);
  std::vector<Stmt> steps;
  for (int64_t half = *find_int(vector->shape[1]) / 2; half > 0; half /= 2)
    steps.push_back(vector_loop("j", half, [&](const Scalar& j) {
      const Scalar both = r.combined(load(vector, {zero, j}), load(vector, {zero, sum(j, int_imm(half))}));
      return BufferStore::make(vector, both, {zero, j});
    }));
  return Seq::make(std::move(steps));
}

}  // namespace sunmao
