#include "passes/schedule/map/schedule_elementwise.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/buffer_views.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/store_nest.h"
#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

// True when the nest can become a single flat loop: the indices of all accesses are the loop variables in order, and
// the shapes of all buffers equal the loop extents.
bool is_flat(const StoreNest& nest) {
  Analyzer analyzer;
  auto fits = [&](const Ref<Buffer>& b, const std::vector<Scalar>& indices) {
    if (!b->is_dense() || b->elem_offset || !b->data || indices.size() != nest.loops.size()) return false;
    for (size_t d = 0; d < indices.size(); ++d)
      if (indices[d].get() != nest.loops[d].get() || !analyzer.can_prove_equal(b->shape[d], nest.extents[d]))
        return false;
    return true;
  };
  if (nest.loops.size() < 2 || !fits(nest.buffer, nest.indices)) return false;
  int loop_uses = 0, index_uses = 0;
  bool all_fit = true;
  visit_all(nest.value, [&](const Scalar& s) {
    if (std::ranges::find_if(nest.loops, [&](const auto& l) { return l.get() == s.get(); }) != nest.loops.end())
      ++loop_uses;
  });
  for_each_load(nest.value, [&](const BufferLoad& load) {
    all_fit = all_fit && fits(load.buffer, load.indices);
    index_uses += static_cast<int>(load.indices.size());
  });
  return all_fit && loop_uses == index_uses;
}

Stmt flat_loop(const StoreNest& nest, const Target& target) {
  Scalar count = int_imm(1);
  for (const Scalar& extent : nest.extents) count = product(count, as_index(extent));
  BufferViews views;
  const Ref<Buffer> out = views.of(nest.buffer, {count});
  auto body = [&](const Scalar& i) {
    const Scalar value = map_loads(
        nest.value, [&](const BufferLoad& load) { return sunmao::load(views.of(load.buffer, {count}), {i}); });
    return BufferStore::make(out, value, {i});
  };
  const int lanes = vector_lanes(BufferStore::make(nest.buffer, nest.value, nest.indices), target);
  const int64_t* known = find_int(count);
  if (known && *known < kWorthThreads) return views.declare(vector_axis("i", int_imm(0), count, lanes, body));
  Stmt loop = parallel_loop(
      "chunk", ceil_div(count, kChunk), compare(BinaryOp::Ge, count, int_imm(kWorthThreads)), [&](const Scalar& c) {
        const Scalar first = product(c, int_imm(kChunk));
        const Scalar size = known && *known % kChunk == 0 ? int_imm(kChunk) : min(int_imm(kChunk), count - first);
        return vector_axis("i", first, size, lanes, body);
      });
  return views.declare(loop);
}

/// The outermost loops of a nest as one: as many as it takes to have work for all threads.
struct OuterLoops {
  Ref<SymVar> number;
  Scalar count;
  size_t first, end;  // of the loops of the nest; those before have one iteration
};

OuterLoops outer_loops(const StoreNest& nest) {
  constexpr int64_t kEnough = 64;
  const size_t last = nest.loops.size() - 1;
  const auto is_one = [&](size_t d) {
    const int64_t* extent = find_int(nest.extents[d]);
    return extent && *extent == 1;
  };
  OuterLoops out{nullptr, int_imm(1), 0, 0};
  while (out.first + 1 < last && is_one(out.first)) ++out.first;
  const auto has_enough = [&] {
    const int64_t* count = find_int(out.count);
    return count && *count >= kEnough;
  };
  for (out.end = out.first; out.end < last && (out.end == out.first || !has_enough()); ++out.end)
    out.count = product(out.count, as_index(nest.extents[out.end]));
  const Ref<SymVar>& one = nest.loops[out.first];
  out.number = out.end == out.first + 1 ? one : SymVar::make(one->name, DType::int_(64));
  return out;
}

/// The last loop of a nest, vectorized where that can be.
Stmt last_loop(const StoreNest& nest, const Target& target) {
  const Ref<SymVar> inner = nest.loops.back();
  Stmt store = BufferStore::make(nest.buffer, nest.value, nest.indices);
  if (nest.predicate) store = IfThenElse::make(nest.predicate, store);
  int lanes = vector_lanes(store, target);
  if (!vectorize(store, inner, IntImm::make(inner->dtype, 0), std::max(2, lanes))) lanes = 1;
  return vector_axis(inner->name, int_imm(0), as_index(nest.extents.back()), lanes,
                     [&](const Scalar& i) { return substitute(store, {{inner, as_type_of(inner, i)}}); });
}

// Keeps the loop nest: vectorizes the last loop and, if there are several, spreads the outer ones over threads.
Stmt nested_loops(const StoreNest& nest, const Target& target) {
  const size_t rank = nest.loops.size();
  Stmt body = last_loop(nest, target);
  if (rank == 1) return body;
  const OuterLoops outer = outer_loops(nest);
  Scalar inner_count = int_imm(1);
  for (size_t d = rank - 1; d >= outer.end; --d) {
    inner_count = product(inner_count, as_index(nest.extents[d]));
    if (d + 1 < rank) body = For::make(nest.loops[d], nest.extents[d], body);
  }
  Substitution at;
  for (size_t d = 0; d < outer.first; ++d) at[nest.loops[d]] = IntImm::make(nest.loops[d]->dtype, 0);
  if (const size_t count = outer.end - outer.first; count > 1)
    split_number(outer.number, std::span(nest.loops).subspan(outer.first, count),
                 std::span(nest.extents).subspan(outer.first, count), at);
  return chunked_loop(outer.number, outer.count, inner_count, substitute(body, at));
}

bool has_flat_shape(const Stmt& s) {
  const std::optional<StoreNest> nest = read_store_nest(s);
  return nest && nest->is_spatial() && !nest->init && nest->loops.size() > 1;
}

}  // namespace

Stmt serial_elementwise(const StoreNest& nest, const Target& target) {
  if (nest.loops.empty()) return BufferStore::make(nest.buffer, nest.value, nest.indices);
  Stmt body = last_loop(nest, target);
  for (size_t d = nest.loops.size() - 1; d-- > 0;) body = For::make(nest.loops[d], nest.extents[d], body);
  return body;
}

Ref<PrimFunc> schedule_elementwise(const Ref<PrimFunc>& func, const Target& target) {
  std::optional<RootBody> before = read_root(*func);
  if (!before) return func;
  const Ref<PrimFunc> named = std::ranges::any_of(before->stmts, has_flat_shape) ? with_data_names(func) : func;
  RootBody root = *read_root(*named);
  bool changed = false;
  for (Stmt& s : root.stmts) {
    const std::optional<StoreNest> nest = read_store_nest(s);
    if (!nest || !nest->is_spatial() || nest->init || nest->loops.empty()) continue;
    changed = true;
    s = !nest->predicate && is_flat(*nest) ? flat_loop(*nest, target) : nested_loops(*nest, target);
  }
  return changed ? with_root(named, root) : func;
}

}  // namespace sunmao
