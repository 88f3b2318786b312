#include "passes/loop/packed_matmul.h"

#include <algorithm>

#include "loop/walk.h"
#include "passes/loop/matmul_tile.h"
#include "passes/loop/vectorize_loops.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

bool is_load(const BufferLoad* load, const std::vector<Scalar>& indices) {
  return load && std::ranges::equal(load->indices, indices,
                                    [](const Scalar& a, const Scalar& b) { return a.get() == b.get(); });
}

struct Operands {
  const BufferLoad* x = nullptr;
  const BufferLoad* w = nullptr;
};

// Matches c + x * w, with the operands of the sum and the product in either order.
Operands match_update(const StoreNest& nest) {
  const auto* add = find<Binary>(nest.value);
  if (!add || add->op != BinaryOp::Add) return {};
  for (const auto& [c, product] : {std::pair(add->a, add->b), std::pair(add->b, add->a)}) {
    const auto* read = find<BufferLoad>(c);
    const auto* mul = find<Binary>(product);
    if (!read || read->buffer != nest.buffer || !mul || mul->op != BinaryOp::Mul) continue;
    const auto *x = find<BufferLoad>(mul->a), *w = find<BufferLoad>(mul->b);
    if (x && w && w->indices.size() != 3) std::swap(x, w);
    return {x, w};
  }
  return {};
}

bool is_dense_float(const Ref<Buffer>& b, DType dtype) { return b->is_dense() && !b->elem_offset && b->dtype == dtype; }

}  // namespace

std::optional<PackedMatmul> read_packed_matmul(const Stmt& stmt, const Stmt& before) {
  const std::optional<StoreNest> nest = read_store_nest(stmt);
  if (!nest || nest->loops.size() != 4) return std::nullopt;
  const auto* anchor = nest->annotations.find<std::string>("anchor");
  if (!anchor || *anchor != "packed_matmul") return std::nullopt;
  const Scalar i = nest->loops[0], jo = nest->loops[1], ji = nest->loops[2], kk = nest->loops[3];
  const Operands found = match_update(*nest);
  const int64_t* nr = find_int(nest->extents[2]);
  const Scalar start = nest->init || !before ? nest->init : initial_value(before, *nest);
  const auto* zero = find<FloatImm>(start);
  if (!is_load(found.x, {i, kk}) || !is_load(found.w, {jo, kk, ji}) || !nr || !zero || zero->value != 0)
    return std::nullopt;
  const DType dtype = nest->buffer->dtype;
  if (dtype.code != TypeCode::Float || dtype.bits < 32 || !is_dense_float(nest->buffer, dtype) ||
      !is_dense_float(found.x->buffer, dtype) || !is_dense_float(found.w->buffer, dtype))
    return std::nullopt;
  Analyzer analyzer;
  if (nest->indices.size() != 2 || nest->indices[0].get() != i.get() ||
      !analyzer.can_prove_equal(nest->indices[1], jo * nest->extents[2] + ji))
    return std::nullopt;
  return PackedMatmul{.x = found.x->buffer,
                      .w = found.w->buffer,
                      .c = nest->buffer,
                      .m = nest->extents[0],
                      .n = nest->buffer->shape[1],
                      .k = nest->extents[3],
                      .panels = nest->extents[1],
                      .nr = static_cast<int>(*nr),
                      .takes_before = !nest->init,
                      .epilogue = std::nullopt};
}

std::optional<PackedMatmul> with_epilogue(const PackedMatmul& matmul, const Stmt& next) {
  std::optional<StoreNest> nest = read_store_nest(next);
  if (!nest || nest->loops.size() != 2 || !nest->is_spatial() || nest->predicate || nest->init) return std::nullopt;
  Analyzer analyzer;
  if (!analyzer.can_prove_equal(nest->extents[0], matmul.m) || !analyzer.can_prove_equal(nest->extents[1], matmul.n))
    return std::nullopt;
  const std::vector<Scalar> element(nest->loops.begin(), nest->loops.end());
  bool reads_element = false,
       reads_else = nest->buffer == matmul.x || nest->buffer == matmul.w || nest->buffer == matmul.c;
  for_each_load(nest->value, [&](const BufferLoad& load) {
    if (load.buffer == matmul.c) (is_load(&load, element) ? reads_element : reads_else) = true;
    reads_else |= load.buffer == nest->buffer;
  });
  if (!reads_element || reads_else || nest->indices != element) return std::nullopt;
  const Stmt store = BufferStore::make(nest->buffer, nest->value, nest->indices);
  if (!vectorize(store, nest->loops[1], IntImm::make(nest->loops[1]->dtype, 0), 2)) return std::nullopt;
  PackedMatmul out = matmul;
  out.epilogue = std::move(nest);
  return out;
}

MatmulBlocks choose_blocks(const PackedMatmul& matmul, const Target& target) {
  // For larger k, rows of x conflict in few cache sets and a panel of w exceeds the cache: then the loop over k is
  // split, and the rows of x are copied.
  constexpr int64_t kLongK = 640;
  constexpr int64_t kMaxTiles = 16, kGroupColumns = 256, kUnknownK = 512;
  const DType dtype = matmul.c->dtype;
  MatmulBlocks blocks;
  blocks.mr = matmul_tile(target, dtype).mr;
  blocks.lanes = target.lanes(dtype.bits);
  while (blocks.lanes > 1 && matmul.nr % blocks.lanes != 0) blocks.lanes /= 2;
  const int64_t* k = find_int(matmul.k);
  const int64_t depth = k ? *k : kUnknownK;
  const bool keeps_sums = matmul.out()->dtype == dtype;  // partial sums are kept in the output
  if (k && depth > kLongK && keeps_sums) {
    const int64_t cuts = (depth + kLongK - 1) / kLongK;
    blocks.k_block = ((depth + cuts - 1) / cuts + blocks.lanes - 1) / blocks.lanes * blocks.lanes;
  }
  // Sizes the row block so that a block of x takes a quarter of the L2 cache.
  const int64_t row_bytes = (blocks.k_block > 0 ? blocks.k_block : depth) * dtype.bytes();
  blocks.tiles = std::clamp<int64_t>(target.l2_bytes / 4 / std::max<int64_t>(1, row_bytes * blocks.mr), 1, kMaxTiles);
  blocks.panel_group = std::max<int64_t>(1, kGroupColumns / matmul.nr);
  return blocks;
}

}  // namespace sunmao
