#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/contraction_loops.h"
#include "passes/schedule/contraction/step.h"
#include "passes/schedule/window/plane.h"

namespace sunmao {
namespace {

/// Returns whether two conditions hold, of which each may be null: it holds.
Scalar both(const Scalar& a, const Scalar& b) {
  const auto holds = [](const Scalar& s) {
    const int64_t* known = find_int(s);
    return known && *known != 0;
  };
  if (!a || !b) return a ? a : b;
  return holds(a) ? b : holds(b) ? a : Binary::make(BinaryOp::And, a, b);
}

class PlaneWriter : private ContractionLoops {
 public:
  PlaneWriter(const Contraction& c, const Plane& plane, const PlaneTile& tile)
      : ContractionLoops(c, tile.tile), plane_(plane), part_(tile),
        lines_(plane.lines.loop ? as_index(c.extent(*plane.lines.loop)) : int_imm(1)) {}

  /// Threads take planes, or parts of them where there are few.
  Stmt run() const {
    const Scalar groups = ceil_div(lines_, part_.most_lines), segments = ceil_div(columns_, part_.most_pixels);
    Scalar planes = int_imm(1);
    int64_t known = 1;
    for (size_t i : c_.outer) {
      if (i == plane_.lines.loop) continue;
      planes = product(planes, as_index(c_.extent(i)));
      known *= std::max<int64_t>(1, c_.known_extent(i));
    }
    if (known >= tile_.machine.wanted_tasks())
      return parallel_loop("task", planes, worth_threads(c_), [&](const Scalar& task) {
        return at_plane(task, serial_loop("group", groups, [&](const Scalar& group) {
                          return serial_loop("segment", segments,
                                             [&](const Scalar& segment) { return part(group, segment); });
                        }));
      });
    return parallel_loop("task", product(product(segments, groups), planes), worth_threads(c_),
                         [&](const Scalar& task) {
                           Scalar rest = task;
                           const Scalar segment = take(rest, segments), group = take(rest, groups);
                           return at_plane(rest, part(group, segment));
                         });
  }

 private:
  Stmt at_plane(Scalar number, const Stmt& body) const {
    Substitution at;
    for (size_t i = c_.outer.size(); i-- > 0;)
      if (const size_t loop = c_.outer[i]; loop != plane_.lines.loop)
        at[c_.loop(loop)] = as_type_of(c_.loop(loop), take(number, as_index(c_.extent(loop))));
    return at_outer(at, body);
  }

  /// Lines and pixels of the output, and how many of them a tile has.
  struct Part {
    Scalar first_line, lines, first_pixel, pixels;
    int64_t height, width;
    bool are_few = false;  // fewer pixels than a tile has: the others are not stored
  };

  /// A part begins earlier where less than a tile is left: it computes some results again, to the same numbers.
  Stmt part(const Scalar& group, const Scalar& segment) const {
    const Scalar line = product(group, int_imm(part_.most_lines)), pixel = product(segment, int_imm(part_.most_pixels));
    const auto of_tiles = [&](int64_t height, int64_t width, const auto& body) {
      return named("line", min(line, lines_ - int_imm(height)), [&](const Scalar& y) {
        return named("pixel", min(pixel, columns_ - int_imm(width)), [&](const Scalar& x) {
          return named("lines", min(int_imm(part_.most_lines), lines_ - y), [&](const Scalar& lines) {
            return named("pixels", min(int_imm(part_.most_pixels), columns_ - x),
                         [&](const Scalar& pixels) { return body(Part{y, lines, x, pixels, height, width}); });
          });
        });
      });
    };
    const Scalar fills_vector = compare(BinaryOp::Ge, columns_, int_imm(tile_.lanes));
    const Scalar fills_tile = both(compare(BinaryOp::Ge, lines_, int_imm(part_.lines)),
                                   compare(BinaryOp::Ge, columns_, int_imm(tile_.columns())));
    const auto few = [&] {
      return of_tiles(1, tile_.lanes, [&](Part p) {
        p.are_few = true;
        p.first_pixel = int_imm(0);
        p.pixels = columns_;
        return copied(p);
      });
    };
    const auto single = [&] {
      return if_else(
          fills_vector, [&] { return of_tiles(1, tile_.lanes, [&](const Part& p) { return copied(p); }); }, few);
    };
    return if_else(
        fills_tile,
        [&] { return of_tiles(part_.lines, tile_.columns(), [&](const Part& p) { return in_place_or_copied(p); }); },
        single);
  }

  template <typename Then, typename Else>
  static Stmt if_else(const Scalar& condition, const Then& then_body, const Else& else_body) {
    if (const int64_t* known = find_int(condition)) return *known != 0 ? then_body() : else_body();
    return IfThenElse::make(condition, then_body(), else_body());
  }

  Stmt in_place_or_copied(const Part& p) const {
    const Scalar inside =
        both(is_inside(plane_.lines, p.first_line, p.lines), is_inside(plane_.pixels, p.first_pixel, p.pixels));
    const auto in_place = [&] { return tiles(p, nullptr); };
    return inside ? if_else(inside, in_place, [&] { return copied(p); }) : in_place();
  }

  /// Returns how many elements of a dimension some windows read.
  static Scalar needed(const WindowAxis& axis, const Scalar& windows) {
    return sum(product(windows, int_imm(axis.stride)), int_imm((axis.taps - 1) * axis.dilation + 1 - axis.stride));
  }

  /// Returns whether all elements that some windows read are there; null where there are no limits.
  static Scalar is_inside(const WindowAxis& axis, const Scalar& first, const Scalar& windows) {
    const Scalar start = product(first, int_imm(axis.stride));
    Scalar out;
    if (axis.begin) out = compare(BinaryOp::Ge, start, axis.begin);
    return axis.end ? both(out, compare(BinaryOp::Le, sum(start, needed(axis, windows)), axis.end)) : out;
  }

  /// Elements of what some windows read.
  struct Range {
    Scalar begin, end;
  };
  /// Emits the body with the elements that are there.
  template <typename Body>
  static Stmt with_range(const std::string& name, const WindowAxis& axis, const Scalar& first, const Scalar& windows,
                         const Body& body) {
    const Scalar start = product(first, int_imm(axis.stride)), all = needed(axis, windows);
    const auto within = [&](const Scalar& limit) { return min(max(difference(limit, start), int_imm(0)), all); };
    return named(name, axis.begin ? within(axis.begin) : int_imm(0), [&](const Scalar& begin) {
      return named(name + "_end", axis.end ? max(within(axis.end), begin) : all,
                   [&](const Scalar& end) { return body(Range{begin, end}); });
    });
  }

  Scalar value_at(const Part& p, const Scalar& line, const Scalar& pixel) const {
    return substitute(substitute(plane_.value, loops_at(c_, plane_.lines, p.first_line, line)),
                      loops_at(c_, plane_.pixels, p.first_pixel, pixel));
  }

  /// Copies what windows read, with 0 for what is not there.
  Stmt copied(const Part& p) const {
    const std::vector<Scalar> shape{int_imm(plane_.lines.reach(part_.most_lines) + 1),
                                    int_imm(plane_.pixels.reach(part_.most_pixels) + tile_.lanes)};
    const Ref<Buffer> copy = Buffer::make("copy", plane_.value->dtype, shape, {.scope = "local"});
    const Scalar width = max(needed(plane_.pixels, p.pixels), int_imm(plane_.pixels.reach(p.width) + 1));
    Stmt fill = with_range("there", plane_.pixels, p.first_pixel, p.pixels, [&](const Range& pixels) {
      return with_range("lines_there", plane_.lines, p.first_line, p.lines, [&](const Range& lines) {
        return serial_loop("l", needed(plane_.lines, p.lines), [&](const Scalar& l) {
          Stmt line = Seq::make({zeros(copy, l, int_imm(0), pixels.begin), copied_line(p, copy, l, pixels),
                                 zeros(copy, l, pixels.end, width)});
          Scalar is_there = plane_.lines.begin ? compare(BinaryOp::Ge, l, lines.begin) : Scalar();
          if (plane_.lines.end) is_there = both(is_there, compare(BinaryOp::Lt, l, lines.end));
          return is_there ? IfThenElse::make(is_there, line, zeros(copy, l, int_imm(0), width)) : line;
        });
      });
    });
    return AllocBuffer::make(copy, Seq::make({fill, tiles(p, copy)}));
  }

  /// Stores zeros from one pixel to another, and up to the end of a vector.
  Stmt zeros(const Ref<Buffer>& copy, const Scalar& line, const Scalar& begin, const Scalar& end) const {
    return serial_loop("zero", ceil_div(difference(end, begin), tile_.lanes), [&](const Scalar& v) {
      return vector_loop("j", tile_.lanes, [&](const Scalar& j) {
        return BufferStore::make(copy, constant(copy->dtype, 0),
                                 {line, sum(sum(begin, product(v, int_imm(tile_.lanes))), j)});
      });
    });
  }

  /// The last vector begins earlier where fewer pixels are left.
  Stmt copied_line(const Part& p, const Ref<Buffer>& copy, const Scalar& line, const Range& pixels) const {
    const Scalar lanes = int_imm(tile_.lanes), count = difference(pixels.end, pixels.begin);
    const auto store = [&](const Scalar& pixel) {
      return BufferStore::make(copy, value_at(p, line, pixel), {line, pixel});
    };
    const auto vectors = [&] {
      return serial_loop("vector", ceil_div(count, tile_.lanes), [&](const Scalar& v) {
        const Scalar first = sum(pixels.begin, min(product(v, lanes), difference(count, lanes)));
        return vector_loop("j", tile_.lanes, [&](const Scalar& j) { return store(sum(first, j)); });
      });
    };
    return if_else(compare(BinaryOp::Ge, count, lanes), vectors, [&] {
      return serial_loop("pixel", count, [&](const Scalar& x) { return store(sum(pixels.begin, x)); });
    });
  }

  /// Emits the tiles of a part. What they read lies in `copy`, unless it is null.
  Stmt tiles(const Part& p, const Ref<Buffer>& copy) const {
    const auto first = [](const Scalar& number, int64_t size, const Scalar& all) {
      const Scalar start = product(number, int_imm(size));
      return size == 1 ? start : min(start, all - int_imm(size));
    };
    return serial_loop("high", ceil_div(p.lines, p.height), [&](const Scalar& high) {
      return named("y", first(high, p.height, p.lines), [&](const Scalar& y) {
        if (p.are_few) return brick(p, {y, int_imm(0)}, copy);
        return serial_loop("wide", ceil_div(p.pixels, p.width), [&](const Scalar& wide) {
          return named("x", first(wide, p.width, p.pixels), [&](const Scalar& x) { return brick(p, {y, x}, copy); });
        });
      });
    });
  }

  struct Place {
    Scalar line, pixel;  // of a tile in its part
  };

  Stmt brick(const Part& p, const Place& tile, const Ref<Buffer>& copy) const {
    const DType dtype = c_.nest.buffer->dtype;
    const int64_t vectors = p.width / tile_.lanes;
    const std::vector<Scalar> shape{int_imm(p.height), int_imm(p.width)};
    const Ref<Buffer> sums = Buffer::make("sums", dtype, shape, {.scope = "local"});
    const auto for_lanes = [&](const auto& body) {
      return unrolled_loop("v", vectors, [&](const Scalar& v) {
        return vector_loop("j", tile_.lanes,
                           [&](const Scalar& j) { return body(sum(product(v, int_imm(tile_.lanes)), j)); });
      });
    };
    const auto for_sums = [&](const auto& body) {
      return unrolled_loop("r", p.height,
                           [&](const Scalar& r) { return for_lanes([&](const Scalar& x) { return body(r, x); }); });
    };
    const auto finish = [&](const Ref<Buffer>& of, const Scalar& r, const Scalar& x) {
      const Scalar at_line = sum(sum(p.first_line, tile.line), r), at_pixel = sum(sum(p.first_pixel, tile.pixel), x);
      Substitution at{{c_.loop(c_.column), as_type_of(c_.loop(c_.column), at_pixel)}};
      if (plane_.lines.loop) at[c_.loop(*plane_.lines.loop)] = as_type_of(c_.loop(*plane_.lines.loop), at_line);
      Stmt store = substitute(store_result(c_.nest, c_.epilogue, load(of, {r, x})), at);
      if (p.are_few) store = IfThenElse::make(compare(BinaryOp::Lt, at_pixel, columns_), store);
      return store;
    };
    Stmt begin =
        for_sums([&](const Scalar& r, const Scalar& x) { return BufferStore::make(sums, c_.nest.init, {r, x}); });
    Stmt end;
    if (is_long_epilogue(c_.epilogue)) {
      const Ref<Buffer> results = Buffer::make("results", dtype, shape, {.scope = "local"});
      Stmt keep = for_sums(
          [&](const Scalar& r, const Scalar& x) { return BufferStore::make(results, load(sums, {r, x}), {r, x}); });
      Stmt rest = serial_loop("r", int_imm(p.height), [&](const Scalar& r) {
        return for_lanes([&](const Scalar& x) { return finish(results, r, x); });
      });
      end = AllocBuffer::make(results, Seq::make({keep, rest}));
    } else {
      end = for_sums([&](const Scalar& r, const Scalar& x) { return finish(sums, r, x); });
    }
    return AllocBuffer::make(sums, Seq::make({begin, add_lines(sums, p, tile, copy, for_lanes), end}));
  }

  /// Adds what each line gives to all lines of the output that it is a tap of.
  template <typename ForLanes>
  Stmt add_lines(const Ref<Buffer>& sums, const Part& p, const Place& tile, const Ref<Buffer>& copy,
                 const ForLanes& for_lanes) const {
    const WindowAxis &lines = plane_.lines, &pixels = plane_.pixels;
    const auto add = [&](int64_t line, int64_t r, int64_t down, const Scalar& along) {
      Substitution taps;
      if (lines.tap) taps[c_.loop(*lines.tap)] = IntImm::make(c_.loop(*lines.tap)->dtype, down);
      if (pixels.tap) taps[c_.loop(*pixels.tap)] = as_type_of(c_.loop(*pixels.tap), along);
      const Scalar left = substitute(c_.left, taps);
      return for_lanes([&](const Scalar& x) {
        const Scalar at_line = sum(product(tile.line, int_imm(lines.stride)), int_imm(line));
        const Scalar at_pixel =
            sum(product(sum(tile.pixel, x), int_imm(pixels.stride)), product(along, int_imm(pixels.dilation)));
        const Scalar right = copy ? Scalar(load(copy, {at_line, at_pixel})) : value_at(p, at_line, at_pixel);
        const std::vector<Scalar> at{int_imm(r), x};
        return BufferStore::make(sums, step_sum(c_, load(sums, at), left, right), at);
      });
    };
    const auto add_line = [&](int64_t line, const Scalar& along) {
      std::vector<Stmt> out;
      for (int64_t r = 0; r < p.height; ++r)
        for (int64_t down = 0; down < lines.taps; ++down)
          if (r * lines.stride + down * lines.dilation == line) out.push_back(add(line, r, down, along));
      return out.empty() ? Stmt() : Seq::make(std::move(out));
    };
    std::vector<Stmt> all;
    for (int64_t line = 0; line <= lines.reach(p.height); ++line)
      if (Stmt taps = for_taps([&](const Scalar& along) { return add_line(line, along); }))
        all.push_back(std::move(taps));
    return Seq::make(std::move(all));
  }

  /// Writes out the taps along a line, some of them in a loop where there are many.
  template <typename Body>
  Stmt for_taps(const Body& body) const {
    constexpr int64_t kMostWrittenOut = 9, kAtOnce = 4;
    const int64_t taps = plane_.pixels.taps;
    if (!body(int_imm(0))) return nullptr;
    if (taps <= kMostWrittenOut) return unrolled_loop("tap", taps, body);
    Stmt most = serial_loop("taps", int_imm(taps / kAtOnce), [&](const Scalar& group) {
      return unrolled_loop("tap", kAtOnce,
                           [&](const Scalar& tap) { return body(sum(product(group, int_imm(kAtOnce)), tap)); });
    });
    const int64_t rest = taps % kAtOnce;
    if (rest == 0) return most;
    return Seq::make(
        {most, unrolled_loop("tap", rest, [&](const Scalar& tap) { return body(sum(int_imm(taps - rest), tap)); })});
  }

  const Plane& plane_;
  const PlaneTile& part_;
  const Scalar lines_;
};

}  // namespace

Stmt write_plane(const Contraction& c, const Plane& plane, const PlaneTile& tile) {
  return PlaneWriter(c, plane, tile).run();
}

}  // namespace sunmao
