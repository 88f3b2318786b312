#include "passes/schedule/map/transposed_loops.h"

#include <algorithm>
#include <array>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/map/vector_tile.h"

namespace sunmao {
namespace {

class TileWriter {
 public:
  explicit TileWriter(const Transpose& t) : t_(t) {}

  /// Returns the nest as tiles; nullopt when a part of its value has no vector form.
  std::optional<Stmt> loops() {
    try {
      return blocks();
    } catch (const NoTile&) {
      return std::nullopt;
    }
  }

 private:
  struct NoTile {};

  static Scalar place(const Side& side, const Scalar& at) { return as_type_of(side.loop, at); }

  bool is_stack() const { return !t_.stacked.empty(); }
  bool is_thin() const { return t_.flat.get() != nullptr; }

  /// Returns a stacked value as a vector along `across`.
  Scalar stacked_row(size_t number, const Scalar& across) const {
    const Ref<SymVar>& loop = t_.across.loop;
    // Of the statement only the value counts.
    const Stmt store = BufferStore::make(t_.nest.buffer, t_.stacked[number], t_.nest.indices);
    const Stmt turned = substitute(store, {{t_.along.loop, loop}, {loop, IntImm::make(loop->dtype, 0)}});
    const Stmt value = BufferStore::make(t_.nest.buffer, t_.stacked[number], find<BufferStore>(turned)->indices);
    const std::optional<Stmt> wide = vectorize(value, loop, place(t_.across, across), t_.lanes);
    if (!wide) throw NoTile();
    return find<BufferStore>(*wide)->value;
  }

  /// Returns a tile of a stack, from the value of number `first` on.
  Stmt stacked_tile(size_t first, size_t count, const Scalar& across) const {
    VectorBindings bindings;
    std::vector<Scalar> rows;
    for (size_t k = 0; k < count; ++k) rows.push_back(bindings.bind("row", stacked_row(first + k, across)));
    std::vector<Stmt> stores;
    if (is_thin()) {
      const Scalar start = product(across, int_imm(static_cast<int64_t>(count)));
      for (const Scalar& mixed : bind_interleaved(bindings, rows))
        stores.push_back(store_flat(sum(start, int_imm(static_cast<int64_t>(stores.size()) * t_.lanes)), mixed));
    } else {
      const DType index = t_.along.loop->dtype;
      const Scalar along =
          Ramp::make(IntImm::make(index, static_cast<int64_t>(first)), IntImm::make(index, 1), t_.lanes);
      for (const Scalar& column : bind_columns(bindings, rows, bits_in_register(t_.nest.buffer->dtype))) {
        std::vector<Scalar> indices;
        const Scalar at = place(t_.across, sum(across, int_imm(static_cast<int64_t>(stores.size()))));
        for (const Scalar& i : t_.nest.indices) indices.push_back(substitute(i, {{t_.across.loop, at}}));
        indices.back() = along;
        stores.push_back(BufferStore::make(t_.nest.buffer, column, std::move(indices)));
      }
    }
    return bindings.around(Seq::make(std::move(stores)));
  }

  /// Stores a vector to the last two dimensions as one.
  Stmt store_flat(const Scalar& first, const Scalar& value) const {
    std::vector<Scalar> indices(t_.nest.indices.begin(), t_.nest.indices.end() - 2);
    indices.push_back(Ramp::make(first, int_imm(1), t_.lanes));
    return BufferStore::make(t_.flat, value, std::move(indices));
  }

  /// The tiles of a stack at a place, one after another.
  Stmt stacked_tiles(const Scalar& across) const {
    const size_t count = t_.stacked.size();
    if (is_thin()) return stacked_tile(0, count, across);
    const auto lanes = static_cast<size_t>(t_.lanes);
    std::vector<Stmt> out;
    for (size_t first = 0; first < count; first += lanes)
      out.push_back(stacked_tile(std::min(first, count - lanes), lanes, across));
    return Seq::make(std::move(out));
  }

  /// Returns a tile's stores: loads its rows, makes columns of them, and computes and stores a vector for each column.
  Stmt tile(const Scalar& along, const Scalar& across) const {
    VectorBindings bindings;
    std::vector<std::vector<Scalar>> columns;
    for (const Scalar& load : t_.loads) {
      std::vector<Scalar> rows;
      for (int k = 0; k < t_.lanes; ++k)
        rows.push_back(bindings.bind("row", row(load, sum(along, int_imm(k)), across)));
      columns.push_back(bind_columns(bindings, rows, bits_in_register(load->dtype)));
    }
    std::vector<Ref<SymVar>> elements;
    for (const Scalar& load : t_.loads) elements.push_back(SymVar::make("element", load->dtype));
    const Scalar value = map_loads(t_.nest.value, [&](const BufferLoad& load) -> Scalar {
      for (size_t i = 0; i < t_.loads.size(); ++i)
        if (structural_equal(t_.loads[i], Scalar(&load))) return elements[i];
      return nullptr;
    });
    const Stmt store = BufferStore::make(t_.nest.buffer, value, t_.nest.indices);
    std::vector<Stmt> stores;
    for (size_t k = 0; k < static_cast<size_t>(t_.lanes); ++k) {
      Substitution known;
      for (size_t i = 0; i < t_.loads.size(); ++i) known[elements[i]] = columns[i][k];
      const Scalar at = place(t_.across, sum(across, int_imm(static_cast<int64_t>(k))));
      const Stmt one = substitute(store, {{t_.across.loop, at}});
      const std::optional<Stmt> wide = vectorize(one, t_.along.loop, along, t_.lanes, std::move(known));
      if (!wide) throw NoTile();
      stores.push_back(*wide);
    }
    return bindings.around(Seq::make(std::move(stores)));
  }

  /// Floats of less than 32 bits are float32 in registers.
  static int bits_in_register(DType dtype) { return std::max<int>(dtype.bits, dtype.is_integral() ? 8 : 32); }

  Scalar row(const Scalar& load, const Scalar& along, const Scalar& across) const {
    const auto& l = *find<BufferLoad>(load);
    const Substitution at{{t_.along.loop, place(t_.along, along)}, {t_.across.loop, place(t_.across, across)}};
    std::vector<Scalar> indices;
    for (const Scalar& i : l.indices) indices.push_back(substitute(i, at));
    indices.back() = Ramp::make(indices.back(), IntImm::make(indices.back()->dtype, 1), t_.lanes);
    return BufferLoad::make(l.buffer, std::move(indices));
  }

  /// True when a side is as many whole tiles, or when the last tile may begin within the one before it.
  bool is_whole(const Side& side) const {
    const int64_t* extent = find_int(side.extent);
    return extent && (*extent % t_.lanes == 0 || t_.may_repeat);
  }

  /// Emits body(start) for the tiles of a side from `first`, `size` elements in all.
  Stmt tiles(const Side& side, const Scalar& first, const Scalar& size, const LoopBody& body) const {
    const int64_t* extent = find_int(side.extent);
    const Scalar lanes = int_imm(t_.lanes);
    const Scalar count = is_whole(side) ? ceil_div(size, t_.lanes) : compare(BinaryOp::FloorDiv, size, lanes);
    return serial_loop(side.loop->name + "_tile", count, [&](const Scalar& i) {
      Scalar start = sum(first, product(i, lanes));
      if (is_whole(side) && *extent % t_.lanes != 0) start = min(start, int_imm(*extent - t_.lanes));
      const Ref<SymVar> bound = SymVar::make(side.loop->name + "0");
      return Bind::make(bound, start, body(bound));
    });
  }

  /// Some indices of a side.
  struct Range {
    const Side& side;
    Scalar first, size;
  };
  /// The elements of a part of a block one by one.
  Stmt elements(const Range& outer, const Range& inner) const {
    const Stmt store = BufferStore::make(t_.nest.buffer, t_.nest.value, t_.nest.indices);
    const auto at = [](const Range& r, const Scalar& i) { return place(r.side, sum(r.first, i)); };
    return serial_loop(outer.side.loop->name, outer.size, [&](const Scalar& i) {
      return serial_loop(inner.side.loop->name, inner.size, [&](const Scalar& j) {
        return substitute(store, {{outer.side.loop, at(outer, i)}, {inner.side.loop, at(inner, j)}});
      });
    });
  }

  /// Returns what a task does: tiles, and the elements at the ends of sides that fill none.
  Stmt block(const Scalar& along, const Scalar& along_size, const Scalar& across, const Scalar& across_size) const {
    std::vector<Stmt> parts;
    if (is_stack())
      parts.push_back(tiles(t_.across, across, across_size, [&](const Scalar& j) { return stacked_tiles(j); }));
    else
      parts.push_back(tiles(t_.along, along, along_size, [&](const Scalar& i) {
        return tiles(t_.across, across, across_size, [&](const Scalar& j) { return tile(i, j); });
      }));
    const auto done = [&](const Side& side, const Scalar& size) {
      return is_whole(side) ? size : product(compare(BinaryOp::FloorDiv, size, int_imm(t_.lanes)), int_imm(t_.lanes));
    };
    const bool has_all_along = is_stack() || is_whole(t_.along);
    const Scalar along_done = has_all_along ? along_size : done(t_.along, along_size);
    const Scalar across_done = done(t_.across, across_size);
    // Few indices of a side are left over, so the inner loop is of the other side: with symbolic sizes a side may be so
    // short that nothing fills tiles.
    if (!has_all_along)
      parts.push_back(
          elements({t_.along, sum(along, along_done), along_size - along_done}, {t_.across, across, across_size}));
    if (!is_whole(t_.across))
      parts.push_back(
          elements({t_.across, sum(across, across_done), across_size - across_done}, {t_.along, along, along_done}));
    return Seq::make(std::move(parts));
  }

  /// Returns how many indices of a side are in the block that begins at `first`.
  static Scalar size_of_block(const Side& side, const Scalar& first) {
    const int64_t* extent = find_int(side.extent);
    if (extent && *extent <= side.block) return side.extent;
    if (extent && *extent % side.block == 0) return int_imm(side.block);
    return min(int_imm(side.block), side.extent - first);
  }

  Stmt blocks() const {
    std::vector<Ref<SymVar>> loops;
    std::vector<Scalar> extents;
    for (size_t i = 0; i < t_.nest.loops.size(); ++i) {
      if (t_.nest.loops[i] == t_.along.loop || t_.nest.loops[i] == t_.across.loop) continue;
      loops.push_back(t_.nest.loops[i]);
      extents.push_back(t_.nest.extents[i]);
    }
    const std::array<const Side*, 2> sides{&t_.across, &t_.along};
    Scalar step = int_imm(1);
    std::vector<Scalar> firsts, sizes;
    for (const Side* side : sides) {
      const int64_t* extent = find_int(side->extent);
      if (extent && *extent <= side->block) {
        firsts.push_back(int_imm(0));
      } else {
        loops.push_back(SymVar::make(side->loop->name + "_block"));
        extents.push_back(ceil_div(side->extent, side->block));
        firsts.push_back(product(loops.back(), int_imm(side->block)));
      }
      sizes.push_back(size_of_block(*side, firsts.back()));
      step = product(step, int_imm(extent ? std::min(*extent, side->block) : side->block));
    }
    Scalar count = int_imm(1);
    for (const Scalar& extent : extents) count = product(count, as_index(extent));
    const Ref<SymVar> number = SymVar::make("block");
    Substitution at;
    split_number(number, loops, extents, at);
    return chunked_loop(number, count, step, substitute(block(firsts[1], sizes[1], firsts[0], sizes[0]), at));
  }

  const Transpose& t_;
};

}  // namespace

std::optional<Stmt> transposed_loops(const Transpose& t) { return TileWriter(t).loops(); }

}  // namespace sunmao
