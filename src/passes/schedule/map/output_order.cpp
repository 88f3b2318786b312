#include "passes/schedule/map/output_order.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

/// The loop of a nest that indexes its output in blocks.
struct BlockedLoop {
  size_t loop;
  int64_t block;           // elements of a block
  size_t number_dim, dim;  // the dimensions of the output that number the blocks, and the elements of a block
};

// Returns the divisor of `op(loop, divisor)`; 0 for other expressions.
int64_t divisor_of(const Scalar& s, BinaryOp op, const Ref<SymVar>& loop) {
  const auto* b = find<Binary>(s);
  const int64_t* divisor = b && b->op == op && b->a.get() == loop.get() ? find_int(b->b) : nullptr;
  return divisor && *divisor > 0 ? *divisor : 0;
}

std::optional<BlockedLoop> find_blocked_loop(const StoreNest& nest) {
  for (size_t l = 0; l < nest.loops.size(); ++l) {
    if (!find_int(nest.extents[l])) continue;
    std::vector<size_t> dims;
    for (size_t d = 0; d < nest.indices.size(); ++d)
      if (uses(nest.indices[d], *nest.loops[l])) dims.push_back(d);
    if (dims.size() != 2) continue;
    const int64_t block = divisor_of(nest.indices[dims[0]], BinaryOp::FloorDiv, nest.loops[l]);
    if (block > 1 && divisor_of(nest.indices[dims[1]], BinaryOp::FloorMod, nest.loops[l]) == block)
      return BlockedLoop{l, block, dims[0], dims[1]};
  }
  return std::nullopt;
}

// Orders the loops as the indices of the output have them. Returns false when one is in none.
bool order_loops(StoreNest& nest) {
  std::vector<Ref<SymVar>> order;
  for (const Scalar& index : nest.indices)
    visit_all(index, [&](const Scalar& s) {
      const Ref<SymVar> v = find_ref<SymVar>(s);
      if (v && std::ranges::find(nest.loops, v) != nest.loops.end() && std::ranges::find(order, v) == order.end())
        order.push_back(v);
    });
  if (order.size() != nest.loops.size()) return false;
  std::vector<Scalar> extents;
  std::vector<IterKind> kinds;
  for (const Ref<SymVar>& v : order) {
    const auto at = static_cast<size_t>(std::ranges::find(nest.loops, v) - nest.loops.begin());
    extents.push_back(nest.extents[at]);
    kinds.push_back(nest.kinds[at]);
  }
  nest.loops = std::move(order);
  nest.extents = std::move(extents);
  nest.kinds = std::move(kinds);
  return true;
}

// Returns the part of the nest from block `first` on: `count` blocks of `size` elements.
StoreNest part_of(const StoreNest& nest, const BlockedLoop& b, int64_t first, int64_t count, int64_t size) {
  const Ref<SymVar>& whole = nest.loops[b.loop];
  const DType type = whole->dtype;
  const Ref<SymVar> number = SymVar::make(whole->name + "_outer", type), place = SymVar::make(whole->name, type);
  const Scalar block = first == 0 ? Scalar(number) : number + IntImm::make(type, first);
  StoreNest out = nest;
  out.value = substitute(nest.value, {{whole, block * IntImm::make(type, b.block) + place}});
  out.indices[b.number_dim] = block;
  out.indices[b.dim] = place;
  const auto at = static_cast<std::ptrdiff_t>(b.loop);
  out.loops[b.loop] = number;
  out.extents[b.loop] = IntImm::make(type, count);
  out.loops.insert(out.loops.begin() + at + 1, place);
  out.extents.insert(out.extents.begin() + at + 1, IntImm::make(type, size));
  out.kinds.insert(out.kinds.begin() + at + 1, nest.kinds[b.loop]);
  return out;
}

}  // namespace

std::vector<StoreNest> in_output_order(const StoreNest& nest) {
  const std::optional<BlockedLoop> blocked =
      nest.predicate || nest.init || !nest.is_spatial() ? std::nullopt : find_blocked_loop(nest);
  if (!blocked) return {nest};
  const int64_t extent = *find_int(nest.extents[blocked->loop]), block = blocked->block;
  std::vector<StoreNest> out;
  if (extent >= block) out.push_back(part_of(nest, *blocked, 0, extent / block, block));
  if (extent % block != 0) out.push_back(part_of(nest, *blocked, extent / block, 1, extent % block));
  for (StoreNest& part : out)
    if (!order_loops(part)) return {nest};
  return out;
}

}  // namespace sunmao
