#include "passes/schedule/contraction/schedule_contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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
#include "passes/schedule/contraction/contraction_sizes.h"
#include "passes/schedule/contraction/contraction_writer.h"
#include "passes/schedule/contraction/dots.h"
#include "passes/schedule/contraction/step.h"
#include "passes/schedule/contraction/words.h"
#include "passes/schedule/plan_writer.h"
#include "passes/schedule/window/plane.h"
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
  int dimensions = 1;  // of the output that are rows
};

std::optional<Collapsed> collapsed(Contraction c, BufferViews views, const std::optional<Tile>& tile) {
  if (!tile || (c.epilogue && !is_vector_store(c, *c.epilogue, static_cast<int>(tile->lanes)))) return std::nullopt;
  return Collapsed{std::move(c), *tile, std::move(views)};
}

std::optional<Collapsed> with_columns_as_one(const Contraction& c, const Target& target, int64_t lanes,
                                             int64_t local_bytes) {
  BufferViews views;
  std::optional<Contraction> one = collapse_columns(c, lanes, views);
  const std::optional<Tile> tile = one ? choose_tile(*one, target, local_bytes) : std::nullopt;
  return tile ? collapsed(*std::move(one), std::move(views), tile) : std::nullopt;
}

/// True when dividing the number of each row costs little beside its steps, and as one they fill more of their tiles
/// than the rows of a contraction in the tile `plain`.
bool pays_divisions(const Collapsed& one, const Contraction& c, const Tile& plain) {
  constexpr int64_t kSteps = 512, kDivisions = 32;  // one part of so many of what rows cost
  const Contraction& as_one = one.contraction;
  if (step_count(as_one) < kSteps) return false;
  const int64_t rows = as_one.known_extent(*as_one.row), rows_before = c.known_extent(*c.row);
  if (rows == 0) return true;
  const int64_t cost = cost_of_rows(rows, one.tile.rows) * rows_before;
  return rows_before > 0 && cost + cost / kDivisions < cost_of_rows(rows_before, plain.rows) * rows;
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
      out && (out->tile.packs_left || has_plain_rows(out->contraction) || pays_divisions(*out, c, plain));
  if (out) out->dimensions = dimensions;
  return is_good ? std::move(out) : std::move(written);
}

Contraction with_rows(const Contraction& c, int64_t rows) {
  Contraction out = c;
  out.nest.extents[*c.row] = IntImm::make(c.extent(*c.row)->dtype, rows);
  return out;
}

/// Returns the tile for a number of rows that are all in it; nullopt where others do better.
std::optional<Tile> tile_of(const Contraction& c, const Target& target, int64_t rows, int64_t local_bytes) {
  std::optional<Tile> tile = choose_tile(with_rows(c, rows), target, local_bytes);
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
Stmt loops_of(const Collapsed& form, const Target& target, int64_t local_bytes) {
  constexpr int64_t kFew = 2, kShare = 8;  // of the memory for temporaries
  const Contraction& c = form.contraction;
  const Tile& tile = form.tile;
  if (!tile.rows_outside || tile.rows <= kFew || !may_have_few_rows(c, form.dimensions))
    return write_contraction(c, tile);
  const std::optional<Tile> one = tile_of(c, target, 1, local_bytes / kShare),
                            few = tile_of(c, target, kFew, local_bytes / kShare);
  if (!one || !few) return write_contraction(c, tile);
  const Scalar rows = as_index(c.extent(*c.row));
  Tile high = tile, low = tile;
  high.fills_rows = low.fills_rows = true;
  low.rows = tile.rows / 3 * 2;
  Stmt many = write_contraction(c, high);
  if (low.rows > kFew) many = IfThenElse::make(cost_less(rows, low.rows, high.rows), write_contraction(c, low), many);
  return IfThenElse::make(Binary::make(BinaryOp::Ge, rows, int_imm(tile.rows)), many,
                          IfThenElse::make(Binary::make(BinaryOp::Ge, rows, int_imm(kFew)), write_contraction(c, *few),
                                           IfThenElse::make(Binary::make(BinaryOp::Eq, rows, int_imm(1)),
                                                            write_contraction(with_rows(c, 1), *one))));
}

/// Returns the form in which a contraction is written, and its tile: with two dimensions as one where that is better,
/// else in the tile `plain`.
Collapsed best_form(const Contraction& c, const Target& target, const Tile& plain, int64_t local_bytes) {
  if (std::optional<Collapsed> rows = rows_as_one(c, target, plain, local_bytes)) return *std::move(rows);
  if (std::optional<Collapsed> columns = with_columns_as_one(c, target, plain.lanes, local_bytes))
    return *std::move(columns);
  return {c, plain, {}};
}

Stmt written(const Collapsed& form, const Target& target, int64_t local_bytes) {
  return form.views.declare(loops_of(form, target, local_bytes));
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

/// How a contraction is computed: in a tile, as dot products, or as windows on planes.
struct Plan {
  std::optional<Tile> tile;
  std::optional<Dots> dots;
  std::optional<Plane> plane;
  std::vector<PlaneTile> plane_tiles = {};  // of `plane`
  bool is_none() const { return !tile && !dots && !plane; }
  int lanes() const {
    return static_cast<int>(dots ? dots->lanes : plane ? plane_tiles.front().tile.lanes : tile->lanes);
  }
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
  Plan plan{.tile = choose_tile(c, target, local_bytes), .dots = {}, .plane = {}};
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
  if (plan.dots) return plan;
  plan.plane = find_plane(c);
  if (plan.plane) plan.plane_tiles = plane_tiles_by_cost(c, *plan.plane, target, local_bytes);
  if (plan.plane_tiles.empty()) plan.plane.reset();
  return plan;
}

/// A group in the form in which it is written, and the plan that costs choose.
struct Prepared {
  Contraction contraction;
  Plan plan;
  BufferViews views;
  size_t count;  // of statements
  int64_t local_bytes;

  WrittenGroup group(const Stmt& loops) const { return {views.declare(loops), count}; }
};

std::optional<Prepared> prepare(const GroupInKernel& at, const Target& target) {
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
  if (plan.is_none()) return std::nullopt;
  if (has_epilogue) c.epilogue = match_epilogue(c.nest, at.root.stmts[first + count - 1]);
  if (c.epilogue && !is_vector_store(c, *c.epilogue, plan.lanes())) c.epilogue.reset();
  const size_t taken = has_epilogue && !c.epilogue ? count - 1 : count;
  return Prepared{std::move(c), plan, std::move(views), taken, local_bytes};
}

/// Adds the tiles of a form, first its own: other heights and widths, and other orders of reading the operands.
void add_tiles(std::vector<PlanWriter>& plans, const Prepared& group, const Collapsed& form, const std::string& name,
               const Target& target) {
  const auto add = [&](const std::optional<Tile>& tile) {
    if (!tile || (form.contraction.epilogue &&
                  !is_vector_store(form.contraction, *form.contraction.epilogue, static_cast<int>(tile->lanes))))
      return;
    add_plan(plans, {text_of(*tile) + name, [&group, &target, form, tile = *tile] {
                       const Collapsed other{form.contraction, tile, form.views, form.dimensions};
                       return group.group(written(other, target, group.local_bytes));
                     }});
  };
  const auto wish = [&](const TileWish& w) { add(choose_tile(form.contraction, target, group.local_bytes, w)); };
  add(form.tile);
  if (form.tile.writes_out_rows) return;
  constexpr int64_t kMostVectors = 4, kManyRows = 32;
  const int64_t rows = form.tile.rows, vectors = form.tile.vectors;
  for (int64_t v = 1; v <= kMostVectors; ++v)
    if (v != vectors) wish({.vectors = v});
  for (const int64_t height : {kManyRows, rows - 1, (rows + 1) / 2})
    if (height > 0) wish({.rows = height, .vectors = vectors});
  for (const TileOrder order : {TileOrder::InPlace, TileOrder::CopiesColumns, TileOrder::RowsOutside})
    wish({.vectors = vectors, .order = order});
  for (const int64_t part : {0, 256, 512}) wish({.vectors = vectors, .order = TileOrder::CopiesRows, .part = part});
}

/// Returns the plans of a group, first the one that costs choose. They refer to `group`.
std::vector<PlanWriter> plans_of(const Prepared& group, const Target& target) {
  constexpr size_t kMostDots = 4, kMostWindows = 6;
  const Contraction& c = group.contraction;
  std::vector<PlanWriter> out;
  if (group.plan.dots) {
    const std::vector<Dots> all = dots_by_cost(c, target);
    for (const Dots& dots : std::span(all).first(std::min(all.size(), kMostDots)))
      add_plan(out, {fmt::format("dots {}x{}", dots.rows, dots.columns),
                     [&group, &c, dots] { return group.group(write_dots(c, dots)); }});
  }
  const std::vector<Window> windows = group.plan.dots ? std::vector<Window>() : windows_by_cost(c, target);
  for (const Window& window : std::span(windows).first(std::min(windows.size(), kMostWindows)))
    add_plan(out, {fmt::format("lines {}x{}", window.lines, window.tile.rows),
                   [&group, &c, window] { return group.group(write_window(c, window)); }});
  const std::vector<PlaneTile>& planes = group.plan.plane_tiles;
  for (const PlaneTile& tile : std::span(planes).first(std::min(planes.size(), kMostWindows)))
    add_plan(out, {fmt::format("plane {}x{}", tile.lines, tile.tile.vectors),
                   [&group, &c, tile] { return group.group(write_plane(c, *group.plan.plane, tile)); }});
  const std::optional<Tile> plain = choose_tile(c, target, group.local_bytes);
  if (!plain) return out;
  if (std::optional<Collapsed> rows = rows_as_one(c, target, *plain, group.local_bytes))
    add_tiles(out, group, *rows, " rows as one", target);
  if (std::optional<Collapsed> columns = with_columns_as_one(c, target, plain->lanes, group.local_bytes))
    add_tiles(out, group, *columns, " columns as one", target);
  add_tiles(out, group, {c, *plain, {}}, "", target);
  return out;
}

std::optional<WrittenGroup> write_contraction_group(const GroupInKernel& at, const Target& target,
                                                    const std::string& plan) {
  const std::optional<Prepared> group = prepare(at, target);
  if (!group) return std::nullopt;
  if (!plan.empty()) return write_plan(plans_of(*group, target), plan);
  const Contraction& c = group->contraction;
  if (group->plan.dots) return group->group(write_dots(c, *group->plan.dots));
  if (const std::optional<Window> window = choose_window(c, target)) return group->group(write_window(c, *window));
  if (const std::optional<Plane>& plane = group->plan.plane)
    return group->group(write_plane(c, *plane, group->plan.plane_tiles.front()));
  const Tile tile = *choose_tile(c, target, group->local_bytes);
  return group->group(written(best_form(c, target, tile, group->local_bytes), target, group->local_bytes));
}

std::vector<std::string> contraction_plans(const GroupInKernel& at, const Target& target) {
  const std::optional<Prepared> group = prepare(at, target);
  return group ? texts_of(plans_of(*group, target)) : std::vector<std::string>();
}

}  // namespace

const Family kContractionFamily{true, recognise_contraction, write_contraction_group, contraction_plans};

}  // namespace sunmao
