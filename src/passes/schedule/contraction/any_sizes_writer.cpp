// The loops of a contraction of as many rows, columns and steps as a run says. All numbers share one brick: rows behind
// the last one are that one again, the last block of columns starts earlier, and the copy of fewer columns than a block
// has is filled up with zeros.
#include <algorithm>
#include <utility>

#include "loop/builder.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/brick_writer.h"
#include "passes/schedule/contraction/contraction_writer.h"
#include "passes/schedule/contraction/step.h"

namespace sunmao {
namespace {

constexpr int64_t kHighestTile = 8;  // rows: general registers hold where each of them is

class AnySizesWriter : private BrickWriter {
 public:
  /// `row` is the tile of a single row.
  AnySizesWriter(const Contraction& c, const Tile& tile, const Tile& row) : BrickWriter(c, tile), single_(c, row) {}

  /// Threads take a block of columns and a group of tiles of rows, or a wider block and all rows, one by one.
  Stmt run() const {
    const Scalar blocks = product(ceil_div(row_tiles(), tile_.tiles_at_once), blocks_);
    const Scalar is_single = single_.is_chosen(tile_);
    const Scalar count =
        is_single ? ScalarCall::make("if_then_else", blocks->dtype, {is_single, single_.blocks(), blocks}) : blocks;
    Scalar tasks = count;
    for (size_t i : c_.outer) tasks = product(tasks, as_index(c_.extent(i)));
    return parallel_loop("task", tasks, worth_threads(c_), [&](const Scalar& task) {
      Scalar outer = task;
      const Scalar number = take(outer, count);
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;)
        at[c_.loop(c_.outer[i])] = as_type_of(c_.loop(c_.outer[i]), take(outer, as_index(c_.extent(c_.outer[i]))));
      return at_outer(at, named("number", number, [&](const Scalar& of_task) {
                        Scalar group = of_task;
                        const Scalar block = take(group, blocks_);
                        Stmt body = tiles_of(block, product(group, int_imm(tile_.tiles_at_once)));
                        return is_single ? IfThenElse::make(is_single, single_.rows(tile_, of_task), body) : body;
                      }));
    });
  }

 private:
  /// Single rows, on columns in place.
  struct SingleRows : BrickWriter {
    SingleRows(const Contraction& c, const Tile& tile) : BrickWriter(c, tile) {}
    const Scalar& blocks() const { return blocks_; }

    /// Returns whether rows are computed one by one, where a run decides: where there are fewer than a tile has, or
    /// one where rows that are not there are the last one again.
    Scalar is_chosen(const Tile& tile) const {
      if (find_int(rows_)) return {};
      if (tile.rows > kHighestTile) return compare(BinaryOp::Lt, rows_, int_imm(tile.rows));
      const Scalar is_one = compare(BinaryOp::Le, rows_, int_imm(1));
      if (find_int(columns_)) return is_one;
      return Binary::make(BinaryOp::And, is_one, compare(BinaryOp::Ge, columns_, int_imm(tile_.columns())));
    }

    Stmt rows(const Tile& tile, const Scalar& block) const {
      const auto on = [&](const Columns& columns) {
        return serial_loop("row", rows_, [&](const Scalar& row) {
          return brick({.first = row, .count = 1}, columns, whole(), {.right = nullptr, .left = nullptr});
        });
      };
      if (find_int(columns_) || tile.rows > kHighestTile) return for_columns(block, on);
      const Scalar width = int_imm(tile_.columns());
      return on({min(product(block, width), columns_ - width), tile_.vectors, {}});
    }
  };

  /// Emits the tiles of rows of a task for a block of columns.
  Stmt tiles_of(const Scalar& block, const Scalar& first) const {
    const Scalar count = min(int_imm(tile_.tiles_at_once), row_tiles() - first);
    Columns columns = columns_at(block);
    return named("first", columns.first, [&](const Scalar& column) {
      columns.first = column;
      return tiles_on(columns, first, count);
    });
  }

  Stmt tiles_on(const Columns& columns, const Scalar& first, const Scalar& count) const {
    if (!has_parts()) return with_copy(columns, whole(), first, count, {});
    const Ref<Buffer> carried = Buffer::make(
        "carried", c_.nest.buffer->dtype,
        {int_imm(tile_.carried_tiles * tile_.rows), int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
    return AllocBuffer::make(carried, for_parts([&](const Part& part, const Scalar& is_first, const Scalar& is_last) {
                               return with_copy(
                                   columns, part, first, count,
                                   Carried{.sums = carried, .first_row = {}, .is_first = is_first, .is_last = is_last});
                             }));
  }

  Scalar first_of(const Scalar& block) const {
    const Scalar width = int_imm(tile_.columns()), first = product(block, width);
    const int64_t* known = find_int(columns_);
    return known && *known % tile_.columns() == 0 ? first : min(first, difference(columns_, width));
  }

  Columns columns_at(const Scalar& block) const {
    const int64_t* known = find_int(columns_);
    if (!known) return {max(first_of(block), int_imm(0)), tile_.vectors, {}, columns_};
    if (*known >= tile_.columns()) return {first_of(block), tile_.vectors, {}};
    return {int_imm(0), tile_.vectors, *known % tile_.lanes == 0 ? Scalar() : columns_};
  }

  /// Emits tiles of rows on a part of the steps. Columns are copied where this pays, or where they fill no block.
  Stmt with_copy(const Columns& columns, const Part& part, const Scalar& first, const Scalar& count,
                 const std::optional<Carried>& carry) const {
    const Scalar most = step_count({int_imm(0), tile_.part > 0 ? int_imm(tile_.part) : part.count});
    const Ref<Buffer> packed =
        Buffer::make("packed", c_.right->dtype, {most, int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
    const auto fill = [&](const Scalar& limit) {
      return for_steps(part, [&](const Step& step) {
        return for_lanes(columns, [&](const Column& column) {
          return BufferStore::make(packed, if_below(limit, column.lane, right_operand(step, columns, column)),
                                   {step.flat, column.lane});
        });
      });
    };
    Stmt copy =
        columns.few ? IfThenElse::make(has_full_blocks(), fill(nullptr), fill(columns.few)) : fill(columns.limit);
    Scalar is_copied;
    if (!find_int(rows_)) is_copied = compare(BinaryOp::Ge, rows_, int_imm(kRowsThatRepeatReads));
    if (is_copied && columns.few)
      is_copied = Binary::make(BinaryOp::Or, is_copied, compare(BinaryOp::Lt, columns_, int_imm(tile_.columns())));
    if (columns.limit) is_copied = {};
    if (tile_.part > 0 && !has_parts()) {
      const Scalar fits = compare(BinaryOp::Le, part.count, int_imm(tile_.part));
      is_copied = is_copied ? Binary::make(BinaryOp::And, is_copied, fits) : fits;
    }
    if (is_copied) copy = IfThenElse::make(is_copied, copy);
    Stmt tiles = serial_loop("tile", count, [&](const Scalar& t) {
      Rows rows = rows_at(sum(first, t));
      if (!find_int(rows_) && tile_.rows <= kHighestTile)
        rows = {.first = product(sum(first, t), int_imm(tile_.rows)), .count = tile_.rows, .last = rows_ - int_imm(1)};
      std::optional<Carried> from = carry;
      if (from) from->first_row = product(t, int_imm(tile_.rows));
      return named("row", rows.first, [&](const Scalar& row) {
        rows.first = row;
        return brick(rows, columns, part, {.right = packed, .left = nullptr, .has_right = is_copied}, from);
      });
    });
    return AllocBuffer::make(packed, Seq::make({copy, tiles}));
  }

  /// True when all steps pass in parts; else more of them than a copy holds are read in place.
  bool has_parts() const { return tile_.part > 0 && tile_.carried_tiles > 0; }
  Scalar has_full_blocks() const { return compare(BinaryOp::Ge, columns_, int_imm(tile_.columns())); }

  const SingleRows single_;
};

}  // namespace

Stmt write_any_sizes(const Contraction& c, const Tile& tile) {
  constexpr int64_t kVectors = 4;  // of columns of a single row
  const int64_t columns = c.known_extent(c.column);
  Tile row = tile;
  row.any_sizes = row.packs_right = false;
  row.rows = 1;
  row.part = 0;
  row.vectors = columns > 0 ? std::min(kVectors, (columns + tile.lanes - 1) / tile.lanes) : kVectors;
  return AnySizesWriter(c, tile, row).run();
}

}  // namespace sunmao
