#include <algorithm>
#include <functional>
#include <ranges>

#include "loop/builder.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/step.h"
#include "passes/schedule/window/plane.h"
#include "passes/schedule/window/window.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kAssumed = 56;         // lines and pixels where a run says how many
constexpr int64_t kMostAdditions = 160;  // multiply-adds of vectors
constexpr int64_t kCopyBytes = 48 << 10;

/// Finds which loop and which reduced loop move an index of the operand, and by how much; false for other indices.
bool read_axis(const Contraction& c, const Scalar& index, WindowAxis& out) {
  const auto moves = [&](size_t i) { return uses(index, *c.loop(i)); };
  for (size_t i = 0; i < c.nest.loops.size(); ++i) {
    if (!moves(i)) continue;
    std::optional<size_t>& place = c.nest.kinds[i] == IterKind::Reduce ? out.tap : out.loop;
    int64_t& by = c.nest.kinds[i] == IterKind::Reduce ? out.dilation : out.stride;
    if (place) return false;
    place = i;
    by = moved_by(index, c.loop(i));
    if (by <= 0) return false;
  }
  if (!out.tap) return out.loop.has_value();
  out.taps = c.known_extent(*out.tap);
  return out.loop && out.taps > 0 && (out.stride == 1 || out.dilation == 1);
}

/// Makes a comparison with the number of an element a limit of the axis; false for other conditions.
bool take_limit(const Contraction& c, const Scalar& condition, WindowAxis& axis) {
  const auto* n = find<Binary>(condition);
  if (!n || !is_comparison(n->op) || !axis.loop) return false;
  const Scalar distance = n->a - n->b;
  if (moved_by(distance, c.loop(*axis.loop)) != axis.stride) return false;
  if (axis.tap && moved_by(distance, c.loop(*axis.tap)) != axis.dilation) return false;
  const Ref<SymVar> element = SymVar::make("element", c.loop(*axis.loop)->dtype);
  const Substitution at = loops_at(c, axis, int_imm(0), element);
  Analyzer analyzer;
  // It says that element + rest is at least, or less than, 0.
  const Scalar rest = analyzer.simplify(substitute(distance, at) - element);
  if (uses(rest, *element)) return false;
  const Scalar zero = IntImm::make(element->dtype, 0), one = IntImm::make(element->dtype, 1);
  Scalar& limit = n->op == BinaryOp::Ge || n->op == BinaryOp::Gt ? axis.begin : axis.end;
  if (limit) return false;
  switch (n->op) {
    case BinaryOp::Ge:
    case BinaryOp::Lt: limit = as_index(analyzer.simplify(zero - rest)); return true;
    case BinaryOp::Gt:
    case BinaryOp::Le: limit = as_index(analyzer.simplify(one - rest)); return true;
    default: return false;
  }
}

/// True when the value is read at the windows' elements and depends on where they lie in no other way.
bool is_only_read(const Contraction& c, const Plane& plane, const BufferLoad& load) {
  const Scalar computed = map_loads(plane.value, [](const BufferLoad& l) -> Scalar { return constant(l.dtype, 0); });
  for (const WindowAxis* axis : {&plane.lines, &plane.pixels})
    for (const std::optional<size_t>& i : {axis->loop, axis->tap}) {
      const auto moves = [&](const Scalar& index) { return uses(index, *c.loop(*i)); };
      if (i && (uses(computed, *c.loop(*i)) || std::ranges::count_if(load.indices, moves) != 1)) return false;
    }
  return true;
}

/// Takes the conditions as limits of the dimensions; false where one is none.
bool take_limits(const Contraction& c, const Scalar& condition, Plane& plane) {
  const auto* n = find<Binary>(condition);
  if (n && n->op == BinaryOp::And) return take_limits(c, n->a, plane) && take_limits(c, n->b, plane);
  for (WindowAxis* axis : {&plane.pixels, &plane.lines}) {
    const auto is_other = [&](size_t i) { return uses(condition, *c.loop(i)) && i != axis->loop && i != axis->tap; };
    if (std::ranges::none_of(std::views::iota(size_t{0}, c.nest.loops.size()), is_other))
      return take_limit(c, condition, *axis);
  }
  return false;
}

int64_t assumed_extent(const Contraction& c, const std::optional<size_t>& loop) {
  const int64_t known = loop ? c.known_extent(*loop) : 1;
  return known > 0 ? known : kAssumed;
}

/// Returns what all tiles cost, in tenths of a multiply-add: these, or loads where there are more, and what a tile
/// takes beside.
int64_t cost_of(const Contraction& c, const Plane& plane, const Target& target, const PlaneTile& tile) {
  constexpr int64_t kFewWeights = 16, kTile = 60;
  const int64_t taps = plane.lines.taps * plane.pixels.taps, sums = tile.lines * tile.tile.vectors;
  const bool holds_weights = target.isa.vector_registers >= 32 && taps <= kFewWeights;
  const int64_t loads =
      (plane.lines.reach(tile.lines) + 1) * plane.pixels.taps * tile.tile.vectors + (holds_weights ? 0 : taps);
  const auto tiles = [](int64_t all, int64_t each) { return (all + each - 1) / each; };
  return tiles(assumed_extent(c, plane.lines.loop), tile.lines) *
         tiles(assumed_extent(c, c.column), tile.tile.columns()) * (10 * std::max(sums * taps, loads) + kTile);
}

/// Chooses the part of a plane that is copied: long lines, of which the memory's prefetchers are quick to read, and as
/// many of them as there is room for. False where there is none for a tile.
bool choose_part(const Contraction& c, const Plane& plane, int64_t local_bytes, PlaneTile& tile) {
  constexpr int64_t kForms = 4;  // of loops, each with a copy of its own
  constexpr int64_t kLines = 32, kPixels = 512;
  const auto multiple = [](int64_t n, int64_t of) { return (n + of - 1) / of * of; };
  const int64_t pixels = c.known_extent(c.column), lines = plane.lines.loop ? c.known_extent(*plane.lines.loop) : 1;
  tile.most_pixels = multiple(pixels > 0 ? std::min(pixels, kPixels) : kPixels, tile.tile.columns());
  tile.most_lines = multiple(lines > 0 ? std::min(lines, kLines) : kLines, tile.lines);
  const auto bytes = [&] {
    return (plane.lines.reach(tile.most_lines) + 1) * (plane.pixels.reach(tile.most_pixels) + 1) *
           plane.value->dtype.bytes();
  };
  const int64_t most = std::min(kCopyBytes, local_bytes / kForms);
  while (bytes() > most && tile.most_lines > tile.lines) tile.most_lines -= tile.lines;
  while (bytes() > most && tile.most_pixels > tile.tile.columns()) tile.most_pixels -= tile.tile.columns();
  return bytes() <= most;
}

}  // namespace

Substitution loops_at(const Contraction& c, const WindowAxis& axis, const Scalar& first, const Scalar& further) {
  Substitution at;
  if (!axis.loop) return at;
  const bool is_window = axis.stride == 1;
  at[c.loop(*axis.loop)] = as_type_of(c.loop(*axis.loop), is_window ? sum(first, further) : first);
  if (axis.tap) at[c.loop(*axis.tap)] = as_type_of(c.loop(*axis.tap), is_window ? int_imm(0) : further);
  return at;
}

std::optional<Plane> find_plane(const Contraction& c) {
  if (c.row || c.is_left_vector || c.groups || c.panels || c.bundle || !is_multiply_add(c)) return std::nullopt;
  Plane plane{.lines = {}, .pixels = {}, .value = choice_of_conversions(c.right)};
  const auto* chosen = find<ScalarCall>(plane.value);
  Scalar condition;
  if (chosen && chosen->name == "if_then_else" && is_zero_number(chosen->args[2])) {
    condition = chosen->args[0];
    plane.value = chosen->args[1];
  }
  const BufferLoad* load = only_load(plane.value);
  if (!load || !load->buffer->is_dense() || !is_near(plane.value, c.loop(c.column), kFarthest)) return std::nullopt;
  if (!read_axis(c, load->indices.back(), plane.pixels) || plane.pixels.loop != c.column) return std::nullopt;
  for (size_t i = 0; i + 1 < load->indices.size(); ++i) {
    WindowAxis axis;
    const bool is_moved = std::ranges::any_of(c.steps, [&](size_t s) { return uses(load->indices[i], *c.loop(s)); });
    if (!is_moved) continue;
    if (plane.lines.loop || !read_axis(c, load->indices[i], axis)) return std::nullopt;
    plane.lines = axis;
  }
  const auto is_tap = [&](size_t s) { return s == plane.lines.tap || s == plane.pixels.tap || c.known_extent(s) == 1; };
  const bool is_weight = !plane.lines.loop || !uses(c.left, *c.loop(*plane.lines.loop));
  if (!is_weight || !std::ranges::all_of(c.steps, is_tap) || plane.lines.taps * plane.pixels.taps == 1)
    return std::nullopt;
  if (!is_only_read(c, plane, *load) || (condition && !take_limits(c, condition, plane))) return std::nullopt;
  return plane;
}

std::vector<PlaneTile> plane_tiles_by_cost(const Contraction& c, const Plane& plane, const Target& target,
                                           int64_t local_bytes) {
  constexpr int64_t kMostLines = 6, kMostVectors = 4;
  const int64_t lanes = step_lanes(c, target), taps = plane.lines.taps * plane.pixels.taps;
  const int64_t most_sums = target.isa.vector_registers >= 32 ? 20 : 10;
  const int64_t known = c.known_extent(c.column);
  if (lanes < 2 || !has_vector_step(c, lanes) || (known > 0 && known < lanes)) return {};
  std::vector<std::pair<int64_t, PlaneTile>> all;
  for (int64_t lines = std::min(kMostLines, assumed_extent(c, plane.lines.loop)); lines >= 1; --lines)
    for (int64_t vectors = 1; vectors <= kMostVectors; vectors *= 2) {
      PlaneTile tile{
          .lines = lines, .tile = {.machine = target.machine, .lanes = lanes}, .most_lines = 1, .most_pixels = 1};
      tile.tile.in_vector = lanes;
      tile.tile.vectors = vectors;
      const bool is_small = lines * vectors <= most_sums && (lines == 1 || lines * vectors * taps <= kMostAdditions);
      if (!is_small || (vectors > 1 && tile.tile.columns() > assumed_extent(c, c.column))) continue;
      if (choose_part(c, plane, local_bytes, tile)) all.emplace_back(cost_of(c, plane, target, tile), tile);
    }
  std::ranges::stable_sort(all, std::less(), &std::pair<int64_t, PlaneTile>::first);
  std::vector<PlaneTile> out;
  for (const auto& [cost, tile] : all) out.push_back(tile);
  return out;
}

}  // namespace sunmao
