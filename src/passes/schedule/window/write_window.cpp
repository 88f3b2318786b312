#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/monotonic.h"
#include "passes/schedule/contraction/contraction_loops.h"
#include "passes/schedule/contraction/step.h"
#include "passes/schedule/window/window.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

class WindowWriter : private ContractionLoops {
 public:
  WindowWriter(const Contraction& c, const Window& window)
      : ContractionLoops(c, window.tile), window_(window), all_lines_(as_index(c.extent(window.line))),
        all_groups_(ceil_div(all_lines_, window.lines)), lines_(c.known_extent(window.line)),
        groups_((lines_ + window.lines - 1) / window.lines) {}

  /// Threads take groups of lines, and parts of the channels where there are too few of these.
  Stmt run() const {
    const int64_t* blocks = find_int(blocks_);
    Scalar others = int_imm(1);
    for (size_t i : c_.outer)
      if (i != window_.line) others = product(others, as_index(c_.extent(i)));
    const int64_t* known = find_int(others);
    const int64_t tasks = groups_ * (known ? std::max<int64_t>(1, *known) : 1);
    const int64_t wanted =
        blocks && groups_ > 0 ? std::clamp<int64_t>((tile_.machine.wanted_tasks() + tasks - 1) / tasks, 1, *blocks) : 1;
    const int64_t each = blocks ? (*blocks + wanted - 1) / wanted : 0, parts = blocks ? (*blocks + each - 1) / each : 1;
    const Scalar all = product(product(all_groups_, int_imm(parts)), others);
    return parallel_loop("task", all, worth_threads(c_), [&](const Scalar& task) {
      Scalar rest = task;
      const Scalar group = take(rest, all_groups_), part = take(rest, int_imm(parts));
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;)
        if (const size_t loop = c_.outer[i]; loop != window_.line)
          at[c_.loop(loop)] = as_type_of(c_.loop(loop), take(rest, as_index(c_.extent(loop))));
      const Scalar first = product(part, int_imm(each));
      const Channels channels{first, parts == 1 ? blocks_ : min(int_imm(each), blocks_ - first)};
      const bool is_known = lines_ > 0 && find_int(rows_);
      return at_outer(at, is_known ? of_group(group, channels) : of_unknown_group(group, channels));
    });
  }

 private:
  struct Channels {
    Scalar first, count;  // blocks
  };
  /// Lines of the output that are computed together.
  struct Lines {
    Scalar first;
    bool are_inside;  // no tap of them is at an edge
    int64_t count;
  };
  /// A line of a tile, and the tap that a line of the left operand is of it.
  struct Use {
    int64_t line, tap;
  };

  /// The last group starts earlier where lines are no multiple of its height: it computes some again, to the same
  /// numbers. The first and the last one share a form, which asks for each line that is read whether it is there.
  Stmt of_group(const Scalar& group, const Channels& channels) const {
    const auto [begin, end] = groups_inside();
    const int64_t last = groups_ - 1;
    const Scalar start = product(group, int_imm(window_.lines));
    const Scalar first = lines_ % window_.lines == 0 ? start : min(start, int_imm(lines_ - window_.lines));
    const auto tiles = [&](bool are_inside) { return of_tiles({first, are_inside, window_.lines}, channels); };
    if (begin == 0 && end == groups_) return tiles(true);
    if (last <= 1 || begin > 1 || end < last) return tiles(false);
    const Scalar is_first = compare(BinaryOp::Eq, group, int_imm(0)),
                 is_last = compare(BinaryOp::Eq, group, int_imm(last));
    const Scalar at_edge = begin == 0 ? is_last : end > last ? is_first : Binary::make(BinaryOp::Or, is_first, is_last);
    return IfThenElse::make(at_edge, tiles(false), tiles(true));
  }

  /// The same where a run says how many lines or pixels there are: single ones where they fill no tile.
  Stmt of_unknown_group(const Scalar& group, const Channels& channels) const {
    const Scalar height = int_imm(window_.lines), start = product(group, height);
    const Scalar first = window_.lines == 1 ? start : min(start, all_lines_ - height);
    Stmt tiles = of_tiles({first, step_guards_.empty(), window_.lines}, channels);
    if (const Scalar inside = hold_for(step_guards_, {window_.line, first, window_.lines}, window_.step); inside)
      tiles = IfThenElse::make(inside, of_tiles({first, true, window_.lines}, channels), tiles);
    Scalar fills = compare(BinaryOp::Ge, all_lines_, height);
    if (!find_int(rows_)) {
      const Scalar fills_line = compare(BinaryOp::Ge, rows_, int_imm(tile_.rows));
      fills = find_int(fills) ? fills_line : Binary::make(BinaryOp::And, fills, fills_line);
    }
    Stmt single =
        serial_loop("line", compare(BinaryOp::Min, height, difference(all_lines_, start)), [&](const Scalar& l) {
          return serial_loop("pixel", rows_, [&](const Scalar& pixel) {
            return of_blocks({sum(start, l), false, 1}, {.first = pixel, .count = 1}, channels);
          });
        });
    return IfThenElse::make(fills, tiles, single);
  }

  /// Returns the groups of lines, from the first to the one behind the last, that provably are not at an edge.
  std::pair<int64_t, int64_t> groups_inside() const {
    int64_t begin = 0, end = groups_;
    while (begin < end && !is_inside(begin)) ++begin;
    while (end > begin && !is_inside(end - 1)) --end;
    return {begin, std::ranges::all_of(step_guards_, is_monotonic) ? end : std::min(end, begin)};
  }
  bool is_inside(int64_t group) const {
    Analyzer analyzer;
    const int64_t first = std::min(group * window_.lines, lines_ - window_.lines);
    for (int64_t r = 0; r < window_.lines; ++r)
      for (int64_t tap = 0; tap < c_.known_extent(window_.step); ++tap)
        for (const Scalar& guard : step_guards_) {
          const Scalar holds =
              analyzer.simplify(at_line(operand(guard, tap_at(tap, int_imm(0)), nullptr, nullptr), int_imm(first + r)));
          if (!find_int(holds) || *find_int(holds) == 0) return false;
        }
    return true;
  }

  Stmt of_tiles(const Lines& lines, const Channels& channels) const {
    return serial_loop("tile", row_tiles(), [&](const Scalar& tile) {
      return for_tile(tile, [&](const Rows& pixels) { return of_blocks(lines, pixels, channels); });
    });
  }

  Stmt of_blocks(const Lines& lines, const Rows& pixels, const Channels& channels) const {
    return serial_loop("block", channels.count, [&](const Scalar& block) {
      return for_columns(sum(channels.first, block),
                         [&](const Columns& columns) { return brick(lines, pixels, columns); });
    });
  }

  /// Returns the step of a tap along the lines and one along the pixels.
  Step tap_at(int64_t along_lines, const Scalar& along_pixels) const {
    Step step;
    for (size_t loop : c_.steps) step.at.push_back(int_imm(loop == window_.step ? along_lines : 0));
    step.at.back() = along_pixels;
    return step;
  }
  Scalar at_line(const Scalar& value, const Scalar& line) const {
    return substitute(value, {{c_.loop(window_.line), as_type_of(c_.loop(window_.line), line)}});
  }

  Stmt brick(const Lines& lines, const Rows& pixels, const Columns& columns) const {
    const DType dtype = c_.nest.buffer->dtype;
    const std::vector<Scalar> shape{int_imm(lines.count), int_imm(pixels.count), int_imm(tile_.lanes)};
    const Ref<Buffer> sums = Buffer::make("sums", dtype, shape, {.scope = "local"});
    const auto for_sums = [&](const auto& body) {
      return unrolled_loop("r", lines.count, [&](const Scalar& r) {
        return unrolled_loop("p", pixels.count, [&](const Scalar& p) {
          return for_lanes(columns, [&](const Column& column) { return body(r, p, column); });
        });
      });
    };
    const auto finish = [&](const Ref<Buffer>& of, const Scalar& r, const Scalar& p, const Column& column) {
      const Stmt store = store_result(c_.nest, c_.epilogue, load(of, {r, p, column.lane}));
      const Stmt there =
          substitute(store, {{c_.loop(c_.column), as_type_of(c_.loop(c_.column), column.at)},
                             {c_.loop(*c_.row), as_type_of(c_.loop(*c_.row), sum(pixels.first, p))},
                             {c_.loop(window_.line), as_type_of(c_.loop(window_.line), sum(lines.first, r))}});
      return columns.limit ? IfThenElse::make(Binary::make(BinaryOp::Lt, column.lane, columns.limit), there) : there;
    };
    Stmt begin = for_sums([&](const Scalar& r, const Scalar& p, const Column& column) {
      return BufferStore::make(sums, c_.nest.init, {r, p, column.lane});
    });
    Stmt end;
    if (is_long_epilogue(c_.epilogue)) {
      const Ref<Buffer> results = Buffer::make("results", dtype, shape, {.scope = "local"});
      Stmt keep = for_sums([&](const Scalar& r, const Scalar& p, const Column& column) {
        return BufferStore::make(results, load(sums, {r, p, column.lane}), {r, p, column.lane});
      });
      Stmt rest = serial_loop("r", int_imm(lines.count), [&](const Scalar& r) {
        return serial_loop("p", int_imm(pixels.count), [&](const Scalar& p) {
          return for_lanes(columns, [&](const Column& column) { return finish(results, r, p, column); });
        });
      });
      end = AllocBuffer::make(results, Seq::make({keep, rest}));
    } else {
      end =
          for_sums([&](const Scalar& r, const Scalar& p, const Column& column) { return finish(sums, r, p, column); });
    }
    return AllocBuffer::make(sums, Seq::make({begin, add_lines(sums, lines, pixels, columns), end}));
  }

  /// Adds what lines of the left operand give, one after the other, to all lines of the output that they are taps of.
  Stmt add_lines(const Ref<Buffer>& sums, const Lines& lines, const Rows& pixels, const Columns& columns) const {
    const int64_t taps = c_.known_extent(window_.step);
    const int64_t last = (lines.count - 1) * window_.stride + (taps - 1) * window_.dilation;
    std::vector<Stmt> out;
    for (int64_t line = 0; line <= last; ++line) {
      std::vector<Use> uses;
      for (int64_t r = 0; r < lines.count; ++r)
        for (int64_t tap = 0; tap < taps; ++tap)
          if (r * window_.stride + tap * window_.dilation == line) uses.push_back({r, tap});
      if (uses.empty()) continue;
      if (lines.are_inside || step_guards_.empty()) {
        out.push_back(add_uses(sums, uses, lines, pixels, columns));
        continue;
      }
      for (const Use& use : uses) {
        const Scalar holds = all_of(step_guards_, tap_at(use.tap, int_imm(0)), nullptr);
        out.push_back(IfThenElse::make(at_line(holds, sum(lines.first, int_imm(use.line))),
                                       add_uses(sums, {use}, lines, pixels, columns)));
      }
    }
    return Seq::make(std::move(out));
  }

  Stmt add_uses(const Ref<Buffer>& sums, const std::vector<Use>& uses, const Lines& lines, const Rows& pixels,
                const Columns& columns) const {
    return unrolled_loop("p", pixels.count, [&](const Scalar& p) {
      std::vector<Stmt> all;
      for (const Use& use : uses) all.push_back(add(sums, use, p, lines, pixels, columns));
      return Seq::make(std::move(all));
    });
  }

  /// Adds the taps along the pixels to the sum of a pixel.
  Stmt add(const Ref<Buffer>& sums, const Use& use, const Scalar& p, const Lines& lines, const Rows& pixels,
           const Columns& columns) const {
    const size_t last = c_.steps.back();
    const Scalar pixel = sum(pixels.first, p);
    return unrolled_loop(c_.loop(last)->name, c_.known_extent(last), [&](const Scalar& along) {
      const Step step = tap_at(use.tap, along);
      Stmt row = for_lanes(columns, [&](const Column& column) {
        const Scalar left = at_line(left_operand(step, pixel, columns, column), sum(lines.first, int_imm(use.line)));
        const Scalar right = right_operand(step, columns, column);
        const std::vector<Scalar> at{int_imm(use.line), p, column.lane};
        const Scalar after = step_sum(c_, load(sums, at), if_below(columns.limit, column.lane, left),
                                      if_below(columns.limit, column.lane, right));
        return BufferStore::make(sums, after, at);
      });
      if (row_guards_.empty() || pixels.are_inside) return row;
      return IfThenElse::make(at_line(all_of(row_guards_, step, pixel), sum(lines.first, int_imm(use.line))), row);
    });
  }

  const Window window_;
  const Scalar all_lines_, all_groups_;
  const int64_t lines_, groups_;  // 0 where a run says them
};

}  // namespace

Stmt write_window(const Contraction& c, const Window& window) { return WindowWriter(c, window).run(); }

}  // namespace sunmao
