#include "passes/schedule/contraction/schedule_contraction.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/temporaries.h"
#include "loop/walk.h"
#include "passes/loop/buffer_views.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/contraction/collapse.h"
#include "passes/schedule/contraction/contraction_writer.h"
#include "passes/schedule/contraction/dots.h"
#include "passes/schedule/contraction/step.h"
#include "passes/schedule/contraction/words.h"
#include "passes/schedule/window/window.h"

namespace sunmao {
namespace {

// For all contractions of a kernel; the rest is for other statements.
constexpr int64_t kLocalBytes = kMaxTemporaryBytes / 4 * 3;

bool is_vector_store(const Contraction& c, const StoreNest& epilogue, int lanes) {
  const Ref<SymVar>& column = c.loop(c.column);
  const Stmt store = store_result(c.nest, epilogue, constant(c.nest.buffer->dtype, 0));
  return vectorize(store, column, IntImm::make(column->dtype, 0), lanes).has_value() &&
         std::ranges::any_of(epilogue.indices, [&](const Scalar& i) { return uses(i, *column); });
}

/// A form of a contraction in which some dimensions are one.
struct Collapsed {
  Contraction contraction;
  Tile tile;
  BufferViews views;
  int dimensions = 2;  // that are one
};

std::optional<Collapsed> collapsed(Contraction c, BufferViews views, const std::optional<Tile>& tile) {
  if (!tile || (c.epilogue && !is_vector_store(c, *c.epilogue, static_cast<int>(tile->lanes)))) return std::nullopt;
  return Collapsed{std::move(c), *tile, std::move(views)};
}

/// True when a run says how many rows there are, and dividing the number of each costs little beside its steps.
bool pays_divisions(const Contraction& c) {
  constexpr int64_t kSteps = 512;
  int64_t steps = 1;
  for (size_t i : c.steps) steps *= c.known_extent(i);
  return !find_int(c.extent(*c.row)) && steps >= kSteps;
}

/// All rows as one, where they are read without divisions or these cost little, or copied. Else few rows, whose tiles
/// are written out, if these are higher than those of `plain`.
std::optional<Collapsed> rows_as_one(const Contraction& c, const Target& target, const Tile& plain,
                                     int64_t local_bytes) {
  BufferViews views;
  int dimensions = 1;
  std::optional<Contraction> one = collapse_rows(c, views);
  std::optional<Collapsed> written;
  for (std::optional<Contraction> more = one; more; more = collapse_rows(*one, views)) {
    one = std::move(more);
    ++dimensions;
    if (!find_int(one->extent(*one->row)) && !has_plain_rows(*one)) break;
    const std::optional<Tile> tile = choose_written_tile(*one, target);
    if (tile && tile->rows > plain.rows)
      if (std::optional<Collapsed> more_rows = collapsed(*one, views, tile)) written = std::move(more_rows);
  }
  if (!one) return std::nullopt;
  std::optional<Collapsed> out = collapsed(*one, std::move(views), choose_tile(*one, target, local_bytes));
  const bool is_good =
      out && (out->tile.packs_left || has_plain_rows(out->contraction) || pays_divisions(out->contraction));
  if (out) out->dimensions = dimensions;
  return is_good ? std::move(out) : std::move(written);
}

/// Returns the tile for a number of rows that are all in it; nullopt where others do better.
std::optional<Tile> tile_of(const Contraction& c, const Target& target, int64_t rows, int64_t local_bytes) {
  Contraction known = c;
  known.nest.extents[*c.row] = IntImm::make(c.extent(*c.row)->dtype, rows);
  std::optional<Tile> tile = choose_tile(known, target, local_bytes);
  if (!tile || tile->rows != rows) return std::nullopt;
  tile->fills_rows = true;
  return tile;
}

/// Returns whether tiles of `few` rows cost less than tiles of `many` for as many as a run says. Rows of the last tile
/// that are computed twice cost what others do, and the columns of a tile as much as a row.
Scalar cost_less(const Scalar& rows, int64_t few, int64_t many) {
  const auto cost = [&](int64_t height) { return product(ceil_div(rows, height), int_imm(height + 1)); };
  return Binary::make(BinaryOp::Lt, cost(few), cost(many));
}

/// True when a run says how many rows there are, and it may say a few. The pixels of images are many.
bool may_have_few_rows(const Contraction& c, int dimensions) {
  constexpr int kOfText = 2;  // batch and length
  if (!c.row || find_int(c.extent(*c.row)) || dimensions > kOfText || !has_plain_rows(c)) return false;
  return std::ranges::none_of(c.outer, [&](size_t i) {
    return !find_int(c.extent(i)) && uses(c.left, *c.loop(i)) && !uses(c.right, *c.loop(i));
  });
}

/// Returns the loops of a contraction. Where a run may say that there are few rows, they have some forms: for one row,
/// for few, and for many in tiles of two heights.
Stmt written(const Contraction& c, const Target& target, const Tile& tile, int64_t local_bytes, int dimensions = 1) {
  constexpr int64_t kFew = 2, kShare = 8;  // of the memory for temporaries
  if (!tile.rows_outside || tile.rows <= kFew || !may_have_few_rows(c, dimensions)) return write_contraction(c, tile);
  const std::optional<Tile> one = tile_of(c, target, 1, local_bytes / kShare),
                            few = tile_of(c, target, kFew, local_bytes / kShare);
  if (!one || !few) return write_contraction(c, tile);
  const Scalar rows = as_index(c.extent(*c.row));
  Tile high = tile, low = tile;
  high.fills_rows = low.fills_rows = true;
  low.rows = tile.rows / 3 * 2;
  Stmt many = write_contraction(c, high);
  if (low.rows > kFew) many = IfThenElse::make(cost_less(rows, low.rows, high.rows), write_contraction(c, low), many);
  Contraction single = c;
  single.nest.extents[*c.row] = IntImm::make(c.extent(*c.row)->dtype, 1);
  return IfThenElse::make(Binary::make(BinaryOp::Ge, rows, int_imm(tile.rows)), many,
                          IfThenElse::make(Binary::make(BinaryOp::Ge, rows, int_imm(kFew)), write_contraction(c, *few),
                                           IfThenElse::make(Binary::make(BinaryOp::Eq, rows, int_imm(1)),
                                                            write_contraction(single, *one))));
}

/// Returns the scheduled contraction: with two dimensions as one where that is better, else in the tile `plain`.
Stmt scheduled(const Contraction& c, const Target& target, const Tile& plain, int64_t local_bytes) {
  std::optional<Collapsed> better = rows_as_one(c, target, plain, local_bytes);
  if (!better) {
    BufferViews views;
    std::optional<Contraction> columns = collapse_columns(c, plain.lanes, views);
    const std::optional<Tile> tile = columns ? choose_tile(*columns, target, local_bytes) : std::nullopt;
    if (tile) better = collapsed(std::move(*columns), std::move(views), tile);
  }
  return better ? better->views.declare(
                      written(better->contraction, target, better->tile, local_bytes, better->dimensions))
                : written(c, target, plain, local_bytes);
}

/// Takes the initialisation before a contraction and its epilogue along, which stores vectors of columns.
std::optional<StatementGroup> recognise_contraction(const PrimFunc& func, const RootBody& root, size_t first) {
  const size_t at = place_of_reduction(root, first);
  std::optional<Contraction> c = read_contraction(root.stmts[at], at > first ? root.stmts[first] : Stmt());
  if (!c) return std::nullopt;
  if (at + 1 < root.stmts.size() && !is_parameter(func, c->nest.buffer) && !is_read_after(root, at + 2, c->nest.buffer))
    c->epilogue = match_epilogue(c->nest, root.stmts[at + 1]);
  if (c->epilogue && !is_vector_store(*c, *c->epilogue, kFewestLanes)) c->epilogue.reset();
  const size_t count = at + 1 - first + (c->epilogue ? 1 : 0);
  const bool is_certain = has_plan(*c);
  return StatementGroup{first, count, *std::move(c), is_certain};
}

/// How a contraction is computed: in a tile, or as dot products.
struct Plan {
  std::optional<Tile> tile;
  std::optional<Dots> dots;
  int lanes() const { return static_cast<int>(dots ? dots->lanes : tile->lanes); }
};

Contraction with_words(Contraction c, BufferViews& views) {
  std::optional<Contraction> out = in_words(c, views);
  return out ? *std::move(out) : std::move(c);
}

/// Chooses the plan, for which the contraction takes the form that it needs. `loops` is the same contraction with
/// narrow groups as a loop.
Plan choose_plan(Contraction& c, BufferViews& views, const std::function<std::optional<Contraction>()>& loops,
                 const Target& target, int64_t local_bytes) {
  c = with_words(std::move(c), views);
  Plan plan{.tile = choose_tile(c, target, local_bytes), .dots = {}};
  if (!plan.tile && c.groups)
    if (std::optional<Contraction> in_loop = loops()) {
      c = with_words(*std::move(in_loop), views);
      plan.tile = choose_tile(c, target, local_bytes);
    }
  plan.dots = choose_dots(c, target);
  std::optional<size_t> loop = plan.dots ? std::nullopt : find_bundled_loop(c);
  if (!plan.dots && !loop) loop = find_ragged_loop(c);
  if (loop) {
    Contraction bundled = with_words(with_bundles(c, *loop), views);
    if (const std::optional<Tile> found = choose_tile(bundled, target, local_bytes)) {
      c = std::move(bundled);
      plan.tile = found;
    }
  }
  return plan;
}

std::optional<WrittenGroup> write_contraction_group(const GroupInKernel& at, const Target& target) {
  const int64_t local_bytes = kLocalBytes / static_cast<int64_t>(at.groups_of_family);
  const size_t first = at.group.first, count = at.group.count;
  Contraction c = std::get<Contraction>(at.group.form);
  const bool has_epilogue = c.epilogue.has_value();
  c.epilogue.reset();
  const auto loops = [&] {
    const size_t place = place_of_reduction(at.root, first);
    return read_contraction(at.root.stmts[place], place > first ? at.root.stmts[first] : Stmt(), NarrowGroups::Loop);
  };
  BufferViews views;
  const Plan plan = choose_plan(c, views, loops, target, local_bytes);
  if (!plan.tile && !plan.dots) return std::nullopt;
  if (has_epilogue) c.epilogue = match_epilogue(c.nest, at.root.stmts[first + count - 1]);
  if (c.epilogue && !is_vector_store(c, *c.epilogue, plan.lanes())) c.epilogue.reset();
  const std::optional<Window> window = plan.dots ? std::nullopt : choose_window(c, target);
  Stmt written = plan.dots ? write_dots(c, *plan.dots)
                 : window  ? write_window(c, *window)
                           : scheduled(c, target, *choose_tile(c, target, local_bytes), local_bytes);
  return WrittenGroup{views.declare(std::move(written)), has_epilogue && !c.epilogue ? count - 1 : count};
}

}  // namespace

const Family kContractionFamily{true, recognise_contraction, write_contraction_group};

}  // namespace sunmao
