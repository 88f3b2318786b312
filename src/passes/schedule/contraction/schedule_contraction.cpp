#include "passes/schedule/contraction/schedule_contraction.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/temporaries.h"
#include "loop/walk.h"
#include "passes/loop/buffer_views.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/contraction/collapse.h"
#include "passes/schedule/contraction/contraction_writer.h"
#include "passes/schedule/contraction/dots.h"
#include "passes/schedule/contraction/step.h"
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

/// Takes the statement behind a contraction as its epilogue, if it is one.
void take_epilogue(Contraction& c, const PrimFunc& func, const RootBody& root, size_t at, int lanes) {
  if (at + 1 >= root.stmts.size() || is_parameter(func, c.nest.buffer) || is_read_after(root, at + 2, c.nest.buffer))
    return;
  c.epilogue = match_epilogue(c.nest, root.stmts[at + 1]);
  if (c.epilogue && !is_vector_store(c, *c.epilogue, lanes)) c.epilogue.reset();
}

/// A form of a contraction in which some dimensions are one.
struct Collapsed {
  Contraction contraction;
  Tile tile;
  BufferViews views;
};

std::optional<Collapsed> collapsed(Contraction c, BufferViews views, const std::optional<Tile>& tile) {
  if (!tile || (c.epilogue && !is_vector_store(c, *c.epilogue, static_cast<int>(tile->lanes)))) return std::nullopt;
  return Collapsed{std::move(c), *tile, std::move(views)};
}

/// All rows as one, where they are read without divisions, or copied. Else few rows, whose tiles are written out, if
/// these are higher than those of `plain`.
std::optional<Collapsed> rows_as_one(const Contraction& c, const Target& target, const Tile& plain,
                                     int64_t local_bytes) {
  BufferViews views;
  std::optional<Contraction> one = collapse_rows(c, views);
  std::optional<Collapsed> written;
  for (std::optional<Contraction> more = one; more; more = collapse_rows(*one, views)) {
    one = std::move(more);
    const std::optional<Tile> tile = choose_written_tile(*one, target);
    if (tile && tile->rows > plain.rows)
      if (std::optional<Collapsed> more_rows = collapsed(*one, views, tile)) written = std::move(more_rows);
  }
  if (!one) return std::nullopt;
  std::optional<Collapsed> out = collapsed(*one, std::move(views), choose_tile(*one, target, local_bytes));
  return out && (out->tile.packs_left || has_plain_rows(out->contraction)) ? std::move(out) : std::move(written);
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
  return better ? better->views.declare(write_contraction(better->contraction, better->tile))
                : write_contraction(c, plain);
}

}  // namespace

Ref<PrimFunc> schedule_contraction(const Ref<PrimFunc>& func, const Target& target) {
  const std::optional<RootBody> before = read_root(*func);
  const auto is_contraction = [&](size_t i) {
    return read_contraction(before->stmts[i], i > 0 ? before->stmts[i - 1] : Stmt()).has_value();
  };
  int64_t count = 0;
  for (size_t i = 0; before && i < before->stmts.size(); ++i) count += is_contraction(i);
  if (count == 0) return func;
  const int64_t local_bytes = kLocalBytes / count;
  const Ref<PrimFunc> named = with_data_names(func);
  RootBody root = *read_root(*named);
  bool changed = false;
  for (size_t i = 0; i < root.stmts.size(); ++i) {
    const Stmt previous = i > 0 ? root.stmts[i - 1] : Stmt();
    std::optional<Contraction> c = read_contraction(root.stmts[i], previous);
    std::optional<Tile> tile = c ? choose_tile(*c, target, local_bytes) : std::nullopt;
    if (c && !tile && c->groups) {
      c = read_contraction(root.stmts[i], previous, NarrowGroups::Loop);
      tile = c ? choose_tile(*c, target, local_bytes) : std::nullopt;
    }
    const std::optional<Dots> dots = c ? choose_dots(*c, target) : std::nullopt;
    if (const auto loop = c && !dots ? find_bundled_loop(*c) : std::nullopt) {
      const Contraction bundled = with_bundles(*c, *loop);
      if (const std::optional<Tile> found = choose_tile(bundled, target, local_bytes)) {
        c = bundled;
        tile = found;
      }
    }
    if (!tile && !dots) continue;
    changed = true;
    take_epilogue(*c, *named, root, i, static_cast<int>(dots ? dots->lanes : tile->lanes));
    if (c->epilogue) root.stmts.erase(root.stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const std::optional<Window> window = dots ? std::nullopt : choose_window(*c, target);
    root.stmts[i] = dots     ? write_dots(*c, *dots)
                    : window ? write_window(*c, *window)
                             : scheduled(*c, target, *choose_tile(*c, target, local_bytes), local_bytes);
    if (c->takes_before) root.stmts.erase(root.stmts.begin() + static_cast<std::ptrdiff_t>(--i));
  }
  return changed ? with_root(named, root) : func;
}

}  // namespace sunmao
