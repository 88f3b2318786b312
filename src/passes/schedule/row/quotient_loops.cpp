#include "passes/schedule/row/quotient_loops.h"

#include "loop/walk.h"

namespace sunmao {
namespace {

/// Returns a number that a spatial loop is divided by, of which its extent is a multiple; 0 when there is none.
int64_t divisor_of(const StoreNest& nest, size_t i) {
  const int64_t* extent = find_int(nest.extents[i]);
  if (!extent || nest.kinds[i] != IterKind::Spatial) return 0;
  int64_t divisor = 0;
  visit_all(nest.value, [&](const Scalar& s) {
    const auto* n = find<Binary>(s);
    const int64_t* by =
        n && n->op == BinaryOp::FloorDiv && n->a.get() == nest.loops[i].get() ? find_int(n->b) : nullptr;
    if (divisor == 0 && by && *by > 1 && *extent % *by == 0) divisor = *by;
  });
  return divisor;
}

}  // namespace

StoreNest with_quotient_loops(StoreNest nest) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const int64_t by = divisor_of(nest, i);
    if (by == 0) continue;
    const Ref<SymVar> loop = nest.loops[i], group = SymVar::make(loop->name + "_g", loop->dtype),
                      rest = SymVar::make(loop->name, loop->dtype);
    const Scalar size = IntImm::make(loop->dtype, by);
    const auto split = [&](const Scalar& whole) {
      const Scalar parts = rewrite(whole, [&](const Scalar& s) -> Scalar {
        const auto* n = find<Binary>(s);
        const int64_t* divided = n && n->a.get() == loop.get() ? find_int(n->b) : nullptr;
        if (!divided || *divided != by) return nullptr;
        return n->op == BinaryOp::FloorDiv ? group : n->op == BinaryOp::FloorMod ? rest : Ref<SymVar>();
      });
      return substitute(parts, {{loop, group * size + rest}});
    };
    nest.value = split(nest.value);
    for (Scalar& index : nest.indices) index = split(index);
    if (nest.init) nest.init = split(nest.init);
    nest.extents[i] = IntImm::make(loop->dtype, *find_int(nest.extents[i]) / by);
    nest.loops[i] = group;
    const auto at = static_cast<std::ptrdiff_t>(++i);
    nest.loops.insert(nest.loops.begin() + at, rest);
    nest.extents.insert(nest.extents.begin() + at, size);
    nest.kinds.insert(nest.kinds.begin() + at, IterKind::Spatial);
  }
  return nest;
}

}  // namespace sunmao
