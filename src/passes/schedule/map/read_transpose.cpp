#include <algorithm>
#include <numeric>
#include <span>

#include "loop/builder.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/vector_axis.h"
#include "passes/schedule/map/transpose.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kMaxLanes = 16;  // more rows than that would not stay in registers
constexpr int64_t kMinLanes = 4;   // below, a loop over elements is as good
// A block is what tiles go over one after another: whole cache lines of either side, in few pages.
constexpr int64_t kBlockAcross = 64, kBlockAlong = 256;
// Addresses this far apart share a set of the L1 cache (64 sets of lines of 64 bytes), which holds this many of them.
constexpr int64_t kSetDistance = 4096, kSetLines = 8;

/// True when a step of the loop moves a load by one element.
bool is_contiguous_along(const BufferLoad& load, const Ref<SymVar>& loop) {
  const Scalar& last = load.indices.back();
  const auto before = std::span(load.indices).first(load.indices.size() - 1);
  if (std::ranges::any_of(before, [&](const Scalar& i) { return uses(i, *loop); })) return false;
  const Scalar next = substitute(last, {{loop, loop + IntImm::make(loop->dtype, 1)}});
  return Analyzer().can_prove_equal(next, last + IntImm::make(last->dtype, 1));
}

/// Returns the loop along which a load is contiguous, of those before the last one.
std::optional<size_t> loop_across(const StoreNest& nest, const BufferLoad& load) {
  for (size_t i = 0; i + 1 < nest.loops.size(); ++i)
    if (uses(load.indices.back(), *nest.loops[i]) && is_contiguous_along(load, nest.loops[i])) return i;
  return std::nullopt;
}

bool uses_loop(const BufferLoad& load, const Ref<SymVar>& loop) {
  return std::ranges::any_of(load.indices, [&](const Scalar& i) { return uses(i, *loop); });
}

/// True when all that a value loads is there at each index, and can be loaded ahead: it has no choices, whose other
/// side may lie outside of a buffer, and no loads at loaded indices.
bool is_total(const Scalar& value) {
  bool total = true;
  visit_all(value, [&](const Scalar& s) {
    const auto* call = find<ScalarCall>(s);
    total = total && !find<Let>(s) && !(call && (call->name == "if_then_else" || call->name.starts_with("call_")));
    if (const auto* load = find<BufferLoad>(s))
      for (const Scalar& index : load->indices)
        visit_all(index, [&](const Scalar& part) { total = total && !find<BufferLoad>(part); });
  });
  return total;
}

/// Returns `v` for the index `v + 3`; other indices as they are.
Scalar without_offset(const Scalar& index) {
  const auto* sum = find<Binary>(index);
  return sum && sum->op == BinaryOp::Add && find<IntImm>(sum->b) ? sum->a : index;
}

/// True when each loop is one index of the stored element, in order, and all else in its indices is constant.
bool has_own_indices(const StoreNest& nest) {
  size_t next = 0;
  for (const Scalar& index : nest.indices) {
    if (find<IntImm>(index)) continue;
    if (next == nest.loops.size() || index.get() != nest.loops[next].get()) return false;
    ++next;
  }
  return next == nest.loops.size() && nest.indices.back().get() == nest.loops.back().get();
}

/// The same for a part of the output, whose indices may have offsets.
bool has_own_indices_in_part(StoreNest nest) {
  for (Scalar& index : nest.indices) index = without_offset(index);
  return has_own_indices(nest);
}

/// Returns how many lanes tiles have; 0 when a side is too short for any.
int tile_lanes(const StoreNest& nest, const Target& target, const Scalar& along, const Scalar& across) {
  int64_t lanes =
      std::min<int64_t>(kMaxLanes, vector_lanes(BufferStore::make(nest.buffer, nest.value, nest.indices), target));
  for (const Scalar& extent : {along, across})
    if (const int64_t* known = find_int(extent))
      while (lanes > *known) lanes /= 2;
  return lanes < std::min<int64_t>(kMinLanes, target.isa.lanes(64)) ? 0 : static_cast<int>(lanes);
}

/// Returns how many rows of the output a block goes over: no more than stay in the cache together.
int64_t block_across(const StoreNest& nest, const Ref<SymVar>& across, int lanes) {
  int64_t distance = std::max(nest.buffer->dtype.bits / 8, 1);
  for (size_t d = nest.indices.size(); d-- > 0 && !uses(nest.indices[d], *across);) {
    const int64_t* size = find_int(nest.buffer->shape[d]);
    distance *= size && *size > 0 ? *size % kSetDistance : 1;
  }
  const int64_t rows = kSetLines * (kSetDistance / std::gcd(distance, kSetDistance));
  return std::clamp<int64_t>(rows, lanes, kBlockAcross);
}

/// True when the loads of a value are contiguous along a loop, or do not depend on it.
bool is_along(const Scalar& value, const Ref<SymVar>& loop) {
  bool along = true;
  for_each_load(value, [&](const BufferLoad& load) {
    along = along && !load.predicate && is_plain(*load.buffer) &&
            (!uses_loop(load, loop) || is_contiguous_along(load, loop));
  });
  return along;
}

/// Views the last two dimensions of the output as one.
Ref<Buffer> flat_view(const Ref<Buffer>& b, BufferViews& views) {
  std::vector<Scalar> shape(b->shape.begin(), b->shape.end() - 2);
  shape.push_back(product(as_index(b->shape.end()[-2]), as_index(b->shape.back())));
  return views.of(b, shape);
}

}  // namespace

bool is_plain(const Buffer& b) { return b.is_dense() && !b.dtype.is_packed() && !b.dtype.is_vector(); }

std::optional<Transpose> read_transpose(const StoreNest& nest, const Target& target) {
  if (nest.loops.size() < 2 || nest.predicate || !has_own_indices_in_part(nest) || !is_plain(*nest.buffer))
    return std::nullopt;
  if (!is_total(nest.value)) return std::nullopt;
  const Ref<SymVar>& along = nest.loops.back();
  Transpose t{.nest = nest, .along = {along, as_index(nest.extents.back()), kBlockAlong}};
  std::vector<Scalar> others;
  std::optional<size_t> across;
  bool fits = true;
  for_each_load(nest.value, [&](const BufferLoad& load) {
    fits = fits && !load.predicate && is_plain(*load.buffer) && load.buffer != nest.buffer;
    if (!fits || !uses_loop(load, along)) return;
    const std::optional<size_t> loop = loop_across(nest, load);
    if (uses(load.indices.back(), *along) && (!loop || is_contiguous_along(load, along))) {
      others.push_back(Scalar(&load));
      return;
    }
    fits = loop && (!across || across == loop);
    across = loop;
    const auto is_same = [&](const Scalar& known) { return structural_equal(known, Scalar(&load)); };
    if (std::ranges::none_of(t.loads, is_same)) t.loads.push_back(Scalar(&load));
  });
  if (!fits || !across) return std::nullopt;
  t.across = {nest.loops[*across], as_index(nest.extents[*across])};
  // A load that has an element of its own for each of the output may be of the memory that the output is in.
  t.may_repeat = std::ranges::none_of(others, [&](const Scalar& l) { return uses(l, *t.across.loop); });
  t.lanes = tile_lanes(nest, target, t.along.extent, t.across.extent);
  if (t.lanes == 0) return std::nullopt;
  t.across.block = block_across(nest, t.across.loop, t.lanes);
  return t;
}

std::optional<Transpose> read_stack(const StoreNest& nest, const IndexRanges& ranges, const Target& target,
                                    BufferViews& views) {
  const size_t last = nest.loops.size() - 1;
  if (last == 0 || ranges.loop != last || nest.predicate || !has_own_indices(nest) || !is_plain(*nest.buffer))
    return std::nullopt;
  const Ref<SymVar>& across = nest.loops[last - 1];
  if (nest.indices.size() < 2 || nest.indices.end()[-2].get() != across.get()) return std::nullopt;
  Transpose t{.nest = nest,
              .along = {nest.loops[last], as_index(nest.extents[last])},
              .across = {across, as_index(nest.extents[last - 1]), kBlockAlong}};
  for (const StoreNest& part : ranges.nests) {
    const int64_t* size = find_int(part.extents[last]);
    if (!size || *size != 1 || !is_total(part.value) || !is_along(part.value, across)) return std::nullopt;
    t.stacked.push_back(substitute(part.value, {{part.loops[last], IntImm::make(part.loops[last]->dtype, 0)}}));
    for_each_load(part.value, [&](const BufferLoad& load) { t.may_repeat &= load.buffer != nest.buffer; });
  }
  const auto count = static_cast<int64_t>(t.stacked.size());
  t.along.block = count;  // the values at a place are all of one task
  const bool is_thin = count < kMinLanes;
  t.lanes = tile_lanes(nest, target, is_thin ? t.across.extent : t.along.extent, t.across.extent);
  if (t.lanes == 0 || (!is_thin && !t.may_repeat && count % t.lanes != 0)) return std::nullopt;
  if (!is_thin) return t;
  const int64_t* width = find_int(nest.buffer->shape.back());
  if (!width || *width != count || !nest.buffer->data) return std::nullopt;
  t.flat = flat_view(nest.buffer, views);
  return t;
}

}  // namespace sunmao
