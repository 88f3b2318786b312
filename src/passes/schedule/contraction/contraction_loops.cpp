#include "passes/schedule/contraction/contraction_loops.h"

#include <algorithm>
#include <bit>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/monotonic.h"
#include "passes/schedule/contraction/contraction_sizes.h"
#include "passes/schedule/contraction/step.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kUnrolledSteps = 4;
constexpr int64_t kWorkForThreads = 1 << 18;  // multiply-adds: about 5 microseconds of one core

/// True when code has a division whose divisor a run says, which nothing moves out of conditions that are inside loops.
bool divides_by_unknown(const Scalar& s) {
  bool found = false;
  visit_all(s, [&](const Scalar& part) {
    const auto* n = find<Binary>(part);
    found = found || (n && (n->op == BinaryOp::FloorDiv || n->op == BinaryOp::FloorMod) && !find_int(n->b));
  });
  return found;
}

/// Returns how many steps are written out together: as many fill the loop.
int64_t group_size(int64_t steps, int64_t most) {
  while (steps % most != 0) --most;
  return most;
}

}  // namespace

Scalar worth_threads(const Contraction& c) {
  Scalar work = int_imm(1);
  for (const Scalar& extent : c.nest.extents) work = product(work, as_index(extent));
  return compare(BinaryOp::Ge, work, int_imm(kWorkForThreads));
}

ContractionLoops::ContractionLoops(const Contraction& c, const Tile& tile)
    : c_(c), tile_(tile), at_once_(columns_at_once(c, tile.lanes)),
      rows_(c.row ? as_index(c.extent(*c.row)) : int_imm(1)), columns_(as_index(c.extent(c.column))),
      blocks_(ceil_div(columns_, tile.columns())), row_guards_(guards_of(c, true)), step_guards_(guards_of(c, false)) {}

Scalar ContractionLoops::row_tiles() const { return ceil_div(rows_, tile_.rows); }

ContractionLoops::Rows ContractionLoops::rows_at(const Scalar& tile) const {
  const Scalar first = product(tile, int_imm(tile_.rows));
  const int64_t* known = find_int(rows_);
  const bool fills_tiles = tile_.rows == 1 || (known && *known % tile_.rows == 0);
  return {.first = fills_tiles ? first : min(first, rows_ - int_imm(tile_.rows)), .count = tile_.rows, .number = tile};
}

Scalar ContractionLoops::row_of(const Rows& rows, const Scalar& r) {
  const Scalar row = sum(rows.first, r);
  return rows.last ? min(row, rows.last) : row;
}

Stmt ContractionLoops::for_written_tile(const Scalar& tile, const OfRows& body) const {
  const Scalar count = row_tiles();
  const int64_t rows = *find_int(rows_), tiles = *find_int(count), *known = find_int(tile);
  const auto of = [&](int64_t t) {
    const int64_t first = t * rows / tiles;
    return body({.first = int_imm(first), .count = (t + 1) * rows / tiles - first, .number = int_imm(t)});
  };
  if (known) return of(*known);
  Stmt out = of(tiles - 1);
  for (int64_t t = tiles - 1; t-- > 0;) out = IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(t)), of(t), out);
  return out;
}

Stmt ContractionLoops::for_tile(const Scalar& tile, const OfRows& body) const {
  if (tile_.writes_out_rows) return for_written_tile(tile, body);
  const int64_t* rows = find_int(rows_);
  if (row_guards_.empty() || find_int(tile)) return body(rows_at(tile));
  if (!rows) {
    Rows inside = rows_at(tile);
    inside.are_inside = true;
    const Scalar holds = hold_for(row_guards_, {*c_.row, inside.first, tile_.rows}, c_.steps.back());
    return holds ? IfThenElse::make(holds, body(inside), body(rows_at(tile))) : body(rows_at(tile));
  }
  const int64_t last = *rows - tile_.rows, tiles = (*rows + tile_.rows - 1) / tile_.rows;
  Rows between = rows_at(tile);
  between.are_inside = tiles > 2 && hold_between(tile_.rows, last - 1);
  Stmt out = tiles > 2 ? body(between) : Stmt();
  Stmt at_end = tiles > 1 ? body({int_imm(last), tile_.rows}) : Stmt();
  if (tiles > 1) out = out ? IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(tiles - 1)), at_end, out) : at_end;
  Stmt at_begin = body({int_imm(0), tile_.rows});
  return out ? IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(0)), at_begin, out) : at_begin;
}

Scalar ContractionLoops::hold_for(const std::vector<Scalar>& guards, const Iterations& at, size_t step) const {
  const int64_t taps = c_.known_extent(step);
  const auto is_of_others = [&](const Scalar& guard) {
    return std::ranges::any_of(c_.steps, [&](size_t i) { return i != step && uses(guard, *c_.loop(i)); });
  };
  if (taps == 0 || !std::ranges::all_of(guards, is_monotonic) || std::ranges::any_of(guards, is_of_others)) return {};
  Scalar out;
  for (const Scalar& number : {at.first, sum(at.first, int_imm(at.count - 1))})
    for (int64_t tap : {int64_t{0}, taps - 1})
      for (const Scalar& guard : guards) {
        const Scalar holds = substitute(guard, {{c_.loop(at.loop), as_type_of(c_.loop(at.loop), number)},
                                                {c_.loop(step), IntImm::make(c_.loop(step)->dtype, tap)}});
        out = out ? Binary::make(BinaryOp::And, out, holds) : holds;
      }
  return out;
}

bool ContractionLoops::hold_between(int64_t first, int64_t last) const {
  const size_t step = c_.steps.back();
  const int64_t* taps = find_int(c_.extent(step));
  if (!taps || first > last || !std::ranges::all_of(row_guards_, is_monotonic)) return false;
  Analyzer analyzer;
  for (int64_t row : {first, last + tile_.rows - 1})
    for (int64_t tap : {int64_t{0}, *taps - 1})
      for (const Scalar& guard : row_guards_) {
        const auto at = [&](size_t loop, int64_t n) { return IntImm::make(c_.loop(loop)->dtype, n); };
        const Scalar holds = analyzer.simplify(
            substitute(guard, {{c_.loop(*c_.row), at(*c_.row, row)}, {c_.loop(step), at(step, tap)}}));
        if (!find_int(holds) || *find_int(holds) == 0) return false;
      }
  return true;
}

Stmt ContractionLoops::for_tiles(const Scalar& first, const Scalar& count, const OfPlacedRows& body) const {
  const Scalar height = int_imm(tile_.rows);
  Stmt all = serial_loop("tile", count, [&](const Scalar& t) {
    return for_tile(sum(first, t), [&](const Rows& rows) { return body(rows, product(t, height)); });
  });
  if (find_int(rows_) || tile_.rows == 1 || tile_.fills_rows) return all;
  return IfThenElse::make(compare(BinaryOp::Ge, rows_, height), all,
                          serial_loop("row", rows_, [&](const Scalar& r) { return body({r, 1}, r); }));
}

Stmt ContractionLoops::for_rest(const Scalar& tile, const OfRows& body) const {
  const int64_t rows = *find_int(rows_), left = rows % tile_.rows;
  Stmt full = body({.first = product(tile, int_imm(tile_.rows)), .count = tile_.rows, .number = tile});
  if (left == 0) return full;
  return IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(rows / tile_.rows)), body({int_imm(rows - left), left}),
                          full);
}

Stmt ContractionLoops::for_columns(const Scalar& block, const OfColumns& body) const {
  const Scalar width = int_imm(tile_.columns()), first = product(block, width);
  const int64_t* known = find_int(columns_);
  if (!known && !c_.panels && !c_.groups) {
    // The last block starts earlier: it computes some columns again, to the same numbers.
    const Columns full{min(first, columns_ - width), tile_.vectors, {}}, few{int_imm(0), tile_.vectors, columns_};
    return IfThenElse::make(compare(BinaryOp::Ge, columns_, width), body(full), body(few));
  }
  const Columns full{first, tile_.vectors, tile_.in_vector < tile_.lanes ? int_imm(tile_.in_vector) : Scalar()};
  if (known && *known % tile_.columns() == 0) return body(full);
  const int64_t left = known ? *known % tile_.columns() : tile_.columns();
  const int64_t vectors = (left + tile_.lanes - 1) / tile_.lanes;
  const Scalar limit = !known ? columns_ - first : left % tile_.lanes > 0 ? int_imm(left) : Scalar();
  Stmt rest = body({known ? int_imm(*known - left) : first, vectors, limit});
  if (known && *known < tile_.columns()) return rest;
  return IfThenElse::make(compare(BinaryOp::Le, sum(first, width), columns_), body(full), rest);
}

Stmt ContractionLoops::for_lanes(const Columns& columns, const std::function<Stmt(const Column&)>& body) const {
  return unrolled_loop("v", columns.vectors, [&](const Scalar& v) {
    return vector_loop("j", tile_.lanes, [&](const Scalar& j) {
      const Scalar start = product(v, int_imm(tile_.lanes)), lane = sum(start, j);
      return body({.start = start, .in_vector = j, .lane = lane, .at = sum(columns.first, lane)});
    });
  });
}

Stmt ContractionLoops::for_vectors(const Columns& columns, const std::function<Stmt(const Column&)>& body) const {
  return unrolled_loop("v", columns.vectors, [&](const Scalar& v) {
    const Scalar start = product(v, int_imm(tile_.lanes));
    return body({.start = start, .in_vector = int_imm(0), .lane = start, .at = sum(columns.first, start)});
  });
}

ContractionLoops::Part ContractionLoops::whole() const { return {int_imm(0), as_index(c_.extent(c_.steps[0]))}; }

Stmt ContractionLoops::for_parts_of_unknown(const OfPart& body) const {
  if (!c_.bundle) {
    const Scalar steps = as_index(c_.extent(c_.steps[0])), parts = max(int_imm(1), ceil_div(steps, tile_.part));
    return serial_loop("part", parts, [&](const Scalar& p) {
      const Scalar first = product(p, int_imm(tile_.part));
      return body({first, min(int_imm(tile_.part), steps - first)}, compare(BinaryOp::Eq, p, int_imm(0)),
                  compare(BinaryOp::Eq, p, parts - int_imm(1)));
    });
  }
  const Scalar steps = as_index(c_.bundle->steps), size = int_imm(c_.bundle->size);
  const Scalar whole = compare(BinaryOp::FloorDiv, steps, size), left = compare(BinaryOp::FloorMod, steps, size);
  const Scalar parts = max(int_imm(1), ceil_div(steps, c_.bundle->size * tile_.part));
  return serial_loop("part", parts, [&](const Scalar& p) {
    const Scalar first = product(p, int_imm(tile_.part)), is_last = compare(BinaryOp::Eq, p, parts - int_imm(1));
    const Scalar has_rest = Binary::make(BinaryOp::And, is_last, compare(BinaryOp::Gt, left, int_imm(0)));
    return body({first, min(int_imm(tile_.part), whole - first), has_rest}, compare(BinaryOp::Eq, p, int_imm(0)),
                is_last);
  });
}

Stmt ContractionLoops::for_parts(const OfPart& body) const {
  if (has_unknown_steps(c_) || (c_.bundle && c_.bundle->steps)) return for_parts_of_unknown(body);
  const int64_t all = *find_int(c_.extent(c_.steps[0])), parts = (all + tile_.part - 1) / tile_.part;
  return serial_loop("part", int_imm(parts), [&](const Scalar& p) {
    const Scalar first = product(p, int_imm(tile_.part));
    const Part part{first,
                    all % tile_.part == 0 ? int_imm(tile_.part) : min(int_imm(tile_.part), int_imm(all) - first)};
    return body(part, compare(BinaryOp::Eq, p, int_imm(0)), compare(BinaryOp::Eq, p, int_imm(parts - 1)));
  });
}

Scalar ContractionLoops::step_count(const Part& part) const {
  Scalar count = part.count;
  for (size_t i = 1; i < c_.steps.size(); ++i) count = product(count, as_index(c_.extent(c_.steps[i])));
  return count;
}

Stmt ContractionLoops::for_steps(const Part& part, const OfStep& body, const StepGroups& groups) const {
  Stmt all = for_steps(part, body, {}, c_.steps.size(), groups);
  if (!part.has_rest) return all;
  Step rest = next_step(part, {}, part.count);
  rest.taken = Taken::Rest;
  return Seq::make({all, IfThenElse::make(part.has_rest, body(rest))});
}

Stmt ContractionLoops::for_windows(const Part& part, const OfStep& body) const {
  return for_steps(part, body, {}, c_.steps.size() - 1, {1, {}});
}

Scalar ContractionLoops::step_extent(const Part& part, size_t depth) const {
  return depth == 0 ? part.count : as_index(c_.extent(c_.steps[depth]));
}

ContractionLoops::Step ContractionLoops::next_step(const Part& part, const Step& outside, const Scalar& number) const {
  const size_t depth = outside.at.size();
  Step next = outside;
  next.at.push_back(depth == 0 ? sum(part.first, number) : number);
  next.number = number;
  next.flat = sum(product(outside.flat, step_extent(part, depth)), number);
  return next;
}

Stmt ContractionLoops::for_pairs(const std::string& name, const Scalar& extent, const LoopBody& body) {
  const Scalar size = int_imm(2), count = compare(BinaryOp::FloorDiv, extent, size);
  Stmt pairs = serial_loop(name, count, [&](const Scalar& pair) {
    return unrolled_loop("step", 2, [&](const Scalar& n) { return body(sum(product(pair, size), n)); });
  });
  const Scalar is_odd = compare(BinaryOp::Eq, compare(BinaryOp::FloorMod, extent, size), int_imm(1));
  return Seq::make({pairs, IfThenElse::make(is_odd, body(extent - int_imm(1)))});
}

Stmt ContractionLoops::for_steps(const Part& part, const OfStep& body, const Step& outside, size_t end,
                                 const StepGroups& groups) const {
  const size_t depth = outside.at.size();
  if (depth + 1 == c_.steps.size() && !step_guards_.empty() && !outside.is_guarded) {
    Step guarded = outside;
    guarded.is_guarded = true;
    return IfThenElse::make(all_of(step_guards_, outside, nullptr), for_steps(part, body, guarded, end, groups));
  }
  if (depth == end) return body(outside);
  const auto inner = [&](const Scalar& number) {
    return for_steps(part, body, next_step(part, outside, number), end, groups);
  };
  const Scalar extent = step_extent(part, depth);
  const std::string& name = c_.loop(c_.steps[depth])->name;
  const int64_t* known = find_int(extent);
  if (depth + 1 < c_.steps.size() || (!known && groups.most == 1)) return serial_loop(name, extent, inner);
  if (!known) return for_pairs(name, extent, inner);
  if (*known <= kUnrolledSteps) return unrolled_loop(name, *known, inner);
  const int64_t size = group_size(*known, groups.most);
  return serial_loop(name, int_imm(*known / size), [&](const Scalar& group) {
    Stmt steps = size == 1 ? inner(group) : unrolled_loop("step", size, [&](const Scalar& n) {
      return inner(sum(product(group, int_imm(size)), n));
    });
    Stmt before = groups.before ? groups.before(next_step(part, outside, group)) : Stmt();
    return before ? Seq::make({before, steps}) : steps;
  });
}

Scalar ContractionLoops::all_of(const std::vector<Scalar>& guards, const Step& step, const Scalar& row) const {
  Scalar out;
  for (const Scalar& guard : guards) {
    const Scalar here = operand(guard, step, row, nullptr);
    out = out ? Binary::make(BinaryOp::And, out, here) : here;
  }
  return out;
}

Scalar ContractionLoops::operand(const Scalar& value, const Step& step, const Scalar& row, const Scalar& column) const {
  Substitution map;
  for (size_t i = 0; i < step.at.size(); ++i) map[c_.loop(c_.steps[i])] = as_type_of(c_.loop(c_.steps[i]), step.at[i]);
  if (row && c_.row) map[c_.loop(*c_.row)] = as_type_of(c_.loop(*c_.row), row);
  if (column) map[c_.loop(c_.column)] = as_type_of(c_.loop(c_.column), column);
  return substitute(value, map);
}

Scalar ContractionLoops::left_operand(const Step& step, const Scalar& row, const Columns& columns,
                                      const Column& column) const {
  const Scalar value = operand(c_.left, step, row, c_.is_left_vector ? column.at : Scalar());
  if (!c_.groups) return value;
  // A block begins with a group.
  const Scalar width = int_imm(c_.groups->width);
  const auto groups = [&](const Scalar& n) { return compare(BinaryOp::FloorDiv, n, width); };
  const Scalar number = sum(sum(groups(columns.first), groups(column.start)), groups(column.in_vector));
  return substitute(value, {{c_.groups->number, as_type_of(c_.groups->number, number)}});
}

Scalar ContractionLoops::right_operand(const Step& step, const Columns& columns, const Column& column) const {
  Scalar value = operand(c_.right, step, nullptr, column.at);
  if (!c_.panels) return value;
  const auto& [width, panel, rest, count] = *c_.panels;
  const Scalar w = int_imm(width);
  const bool begins_panel = tile_.columns() % width == 0;
  const Scalar number =
      sum(compare(BinaryOp::FloorDiv, columns.first, w), compare(BinaryOp::FloorDiv, column.start, w));
  const Scalar before = begins_panel ? int_imm(0) : compare(BinaryOp::FloorMod, columns.first, w);
  const Scalar inside = sum(sum(before, compare(BinaryOp::FloorMod, column.start, w)), column.in_vector);
  const int64_t* all = find_int(columns_);
  const bool is_full =
      (all && *all % width == 0) || (begins_panel && columns.vectors == tile_.vectors && !columns.limit);
  const Scalar there = is_full ? w : min(w, columns_ - product(number, w));
  return substitute(
      value, {{panel, as_type_of(panel, number)}, {rest, as_type_of(rest, inside)}, {count, as_type_of(count, there)}});
}

Stmt ContractionLoops::prefetch_next(const Rows& rows, const Part& part, const Step& iteration,
                                     const Columns& columns) const {
  constexpr int64_t kLine = 64;
  const Scalar extent = step_extent(part, c_.steps.size() - 1);
  const int64_t *all = find_int(columns_), *steps = find_int(extent);
  if (!c_.panels || !rows.number || rows.tiles < 2 || columns.limit || !all || !steps || *steps <= kUnrolledSteps)
    return nullptr;
  const int64_t bytes = step_bytes(c_), width = tile_.columns(), of_line = kLine / bytes;
  int64_t right_bytes = *all * bytes;
  for (size_t i : c_.steps) right_bytes *= c_.known_extent(i);
  if (right_bytes < tile_.machine.l2_bytes / 2 || columns.vectors != tile_.vectors) return nullptr;
  // What the innermost steps of all tiles will read is spread over their iterations.
  const int64_t iterations = *steps / group_size(*steps, tile_.steps_at_once), all_iterations = iterations * rows.tiles;
  const int64_t in_step = std::max<int64_t>(1, width / of_line), lines = *steps * in_step;
  const int64_t at_once = (lines + all_iterations - 1) / all_iterations;
  const auto of_hint = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(all_iterations * at_once / lines)));
  const Scalar tile = compare(BinaryOp::FloorMod, rows.number, int_imm(rows.tiles));
  const Scalar number = sum(product(tile, int_imm(iterations)), iteration.number);
  const Scalar group = product(compare(BinaryOp::FloorDiv, number, int_imm(of_hint)), int_imm(at_once));
  const Scalar first = min(sum(columns.first, int_imm(width)), int_imm((*all / width - 1) * width));
  const Scalar begin = iteration.at.size() == 1 ? part.first : int_imm(0);
  std::vector<Stmt> hints;
  for (int64_t i = 0; i < at_once; ++i) {
    const Scalar line = min(sum(group, int_imm(i)), int_imm(lines - 1));
    const Scalar start = product(compare(BinaryOp::FloorMod, line, int_imm(in_step)), int_imm(of_line));
    Step there = iteration;
    there.at.back() = sum(begin, compare(BinaryOp::FloorDiv, line, int_imm(in_step)));
    const Column column{.start = start, .in_vector = int_imm(0), .lane = start, .at = sum(first, start)};
    const Scalar value = first_operand(c_, right_operand(there, {first, columns.vectors, nullptr}, column));
    const auto* load = find<BufferLoad>(value);
    if (load && load->dtype.bits >= 8) hints.push_back(prefetch(load->buffer, load->indices));
  }
  return hints.empty() ? Stmt() : Seq::make(std::move(hints));
}

Stmt ContractionLoops::at_outer(const Substitution& at, const Stmt& body) const {
  Substitution known;
  for (const auto& [loop, number] : at)
    if (!divides_by_unknown(number)) known.emplace(loop, number);
  Stmt out = substitute(body, known);
  for (size_t i : c_.outer)
    if (at.contains(c_.loop(i)) && !known.contains(c_.loop(i)))
      out = Bind::make(c_.loop(i), at.at(c_.loop(i)), std::move(out));
  return out;
}

Scalar ContractionLoops::take(Scalar& rest, const Scalar& extent) {
  const Scalar number = compare(BinaryOp::FloorMod, rest, extent);
  rest = compare(BinaryOp::FloorDiv, rest, extent);
  return number;
}

Scalar ContractionLoops::if_below(const Scalar& limit, const Scalar& lane, const Scalar& value) {
  if (!limit) return value;
  const DType dtype = value->dtype.with_lanes(1);
  const Scalar zero =
      value->dtype.lanes == 1 ? constant(dtype, 0) : Broadcast::make(constant(dtype, 0), value->dtype.lanes);
  return ScalarCall::make("if_then_else", value->dtype, {Binary::make(BinaryOp::Lt, lane, limit), value, zero});
}

std::vector<Scalar> ContractionLoops::guards_of(const Contraction& c, bool of_rows) {
  std::vector<Scalar> out;
  for (const Scalar& guard : c.guards) {
    const bool moves = uses(guard, *c.loop(c.steps.back())) || (c.row && uses(guard, *c.loop(*c.row)));
    if (moves == of_rows) out.push_back(guard);
  }
  return out;
}

}  // namespace sunmao
