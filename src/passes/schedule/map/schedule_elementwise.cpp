#include "passes/schedule/map/schedule_elementwise.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/map/index_ranges.h"
#include "passes/schedule/map/merge_loops.h"
#include "passes/schedule/map/moved_bits.h"
#include "passes/schedule/map/output_order.h"
#include "passes/schedule/map/transposed_loops.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr size_t kMostRanges = 1024;  // each range is code of its own, of about 200 bytes

/// The outermost loops of a nest as one: as many as it takes to have work for all threads.
struct OuterLoops {
  Ref<SymVar> number;
  Scalar count;
  size_t first, end;  // of the loops of the nest; those before have one iteration
};

/// The outer loops among those before `last`.
OuterLoops outer_loops(const StoreNest& nest, size_t last) {
  constexpr int64_t kEnough = 64;
  const auto is_one = [&](size_t d) {
    const int64_t* extent = find_int(nest.extents[d]);
    return extent && *extent == 1;
  };
  OuterLoops out{nullptr, int_imm(1), 0, 0};
  while (out.first + 1 < last && is_one(out.first)) ++out.first;
  // Of loops whose number of iterations a run says, the first is one of few images, and the others are of many lines:
  // to find out the place of each iteration of more loops would take divisions.
  int64_t assumed = 1;
  for (out.end = out.first; out.end < last && (out.end == out.first || assumed < kEnough); ++out.end) {
    const int64_t* known = find_int(nest.extents[out.end]);
    assumed *= known ? *known : out.end == 0 ? 1 : kEnough;
    out.count = product(out.count, as_index(nest.extents[out.end]));
  }
  const Ref<SymVar>& one = nest.loops[out.first];
  out.number = out.end == out.first + 1 ? one : SymVar::make(one->name, DType::int_(64));
  return out;
}

/// True when a lane of a vector along a loop reads elsewhere than beside its neighbours. Where there are few registers
/// masks of such loads are as many branches as lanes.
bool reads_apart(const StoreNest& nest, const Ref<SymVar>& loop, const Target& target) {
  bool found = false;
  if (has_few_registers(target))
    for_each_load(nest.value, [&](const BufferLoad& l) {
      for (const Scalar& index : l.indices) {
        const Scalar next = substitute(index, {{loop, loop + IntImm::make(loop->dtype, 1)}});
        const bool is_beside =
            index.same_as(l.indices.back()) && Analyzer().can_prove_equal(next, index + IntImm::make(index->dtype, 1));
        found = found || (uses(index, *loop) && !is_beside);
      }
    });
  return found;
}

/// Emits `count` vectors of elements from `first` on.
Stmt whole_vectors(const std::string& name, const Scalar& first, const Scalar& count, int64_t lanes,
                   const LoopBody& body) {
  return serial_loop(name, count, [&](const Scalar& v) {
    const Scalar at = product(v, int_imm(lanes));
    return vector_loop(name + "_lane", lanes, [&](const Scalar& j) { return body(sum(first, sum(at, j))); });
  });
}

/// A part of the last loop of a nest, vectorized where that can be.
Stmt last_loop(const StoreNest& nest, const Scalar& first, const Scalar& count, const Target& target) {
  const Ref<SymVar> inner = nest.loops.back();
  Stmt store = BufferStore::make(nest.buffer, nest.value, nest.indices);
  if (nest.predicate) store = IfThenElse::make(nest.predicate, store);
  int lanes = vector_lanes(store, target);
  if (!vectorize(store, inner, IntImm::make(inner->dtype, 0), std::max(2, lanes))) lanes = 1;
  const LoopBody body = [&](const Scalar& i) { return substitute(store, {{inner, as_type_of(inner, i)}}); };
  const int together = lanes > 1 ? vectors_together(nest.value, target) : 1;
  const bool has_single_rest = lanes > 1 && !find_int(count) && reads_apart(nest, inner, target);
  if (together == 1 && !has_single_rest) return vector_axis(inner->name, first, count, lanes, body);
  const int width = together * lanes;
  const Scalar full = compare(BinaryOp::FloorDiv, count, int_imm(width)), done = product(full, int_imm(width)),
               left = compare(BinaryOp::Sub, count, done);
  std::vector<Stmt> parts;
  if (!is_zero(full)) parts.push_back(whole_vectors(inner->name, first, full, width, body));
  if (!is_zero(left))
    parts.push_back(vector_axis(inner->name, sum(first, done), left, has_single_rest ? 1 : lanes, body));
  return Seq::make(std::move(parts));
}

Stmt whole_last_loop(const StoreNest& nest, const Target& target) {
  return last_loop(nest, int_imm(0), as_index(nest.extents.back()), target);
}

/// Runs `body`, of `inner_count` elements, in the outer loops of a nest.
Stmt on_threads(const StoreNest& nest, const OuterLoops& outer, const Scalar& inner_count, const Stmt& body) {
  Substitution at;
  for (size_t d = 0; d < outer.first; ++d) at[nest.loops[d]] = IntImm::make(nest.loops[d]->dtype, 0);
  if (const size_t count = outer.end - outer.first; count > 1)
    split_number(outer.number, std::span(nest.loops).subspan(outer.first, count),
                 std::span(nest.extents).subspan(outer.first, count), at);
  return chunked_loop(outer.number, outer.count, inner_count, substitute(body, at));
}

/// A nest of one loop, in chunks on threads where it is long.
Stmt single_loop(const StoreNest& nest, const Target& target) {
  const Scalar count = as_index(nest.extents[0]);
  const int64_t* known = find_int(count);
  if (known && *known < kWorthThreads) return last_loop(nest, int_imm(0), count, target);
  return parallel_loop("chunk", ceil_div(count, kChunk), compare(BinaryOp::Ge, count, int_imm(kWorthThreads)),
                       [&](const Scalar& c) {
                         const Scalar first = product(c, int_imm(kChunk));
                         const bool is_whole = known && *known % kChunk == 0;
                         const Scalar size = is_whole ? int_imm(kChunk) : min(int_imm(kChunk), count - first);
                         return last_loop(nest, first, size, target);
                       });
}

// Keeps the loops but for the outermost ones, which run on threads, and vectorizes the last one.
Stmt nested_loops(const StoreNest& nest, const Target& target) {
  const size_t rank = nest.loops.size();
  if (rank == 1) return single_loop(nest, target);
  const OuterLoops outer = outer_loops(nest, rank - 1);
  Stmt body = whole_last_loop(nest, target);
  Scalar inner_count = int_imm(1);
  for (size_t d = rank - 1; d >= outer.end; --d) {
    inner_count = product(inner_count, as_index(nest.extents[d]));
    if (d + 1 < rank) body = For::make(nest.loops[d], nest.extents[d], body);
  }
  return on_threads(nest, outer, inner_count, body);
}

/// What is written in tiles of vectors whose rows become columns.
enum class Tiles : uint8_t { OfTransposes, None };

/// Writes the loops of elementwise nests.
class MapWriter {
 public:
  MapWriter(const Target& target, Analyzer& analyzer, Tiles tiles = Tiles::OfTransposes)
      : target_(target), analyzer_(analyzer), tiles_(tiles) {}

  /// True when `parallel` has written a transpose in tiles.
  bool has_tiles() const { return has_tiles_; }

  Stmt parallel(const StoreNest& nest) {
    std::vector<Stmt> parts;
    for (const StoreNest& part : in_output_order(moved_bits(nest, views_))) parts.push_back(loops(part));
    return views_.declare(Seq::make(std::move(parts)));
  }
  /// The same without threads.
  Stmt serial(const StoreNest& nest) { return views_.declare(serial_loops(moved_bits(nest, views_))); }

 private:
  Stmt loops(const StoreNest& nest) {
    if (const std::optional<IndexRanges> ranges = ranges_of(nest))
      return has_transpose(nest) ? one_by_one(*ranges) : in_ranges(nest, *ranges);
    const StoreNest merged = merge_loops(nest, views_);
    std::optional<Transpose> transpose = read_transpose(merged, target_);
    if (const std::optional<IndexRanges> elements =
            transpose ? std::nullopt : split_by_index(merged, kMostRanges, analyzer_))
      transpose = read_stack(merged, *elements, target_, views_);
    const std::optional<Stmt> tiles = transpose ? transposed_loops(*transpose) : std::nullopt;
    has_tiles_ = has_tiles_ || tiles;
    if (tiles_ == Tiles::None) return nested_loops(merged, target_);
    return tiles ? *tiles : nested_loops(merged, target_);
  }

  Stmt serial_loops(const StoreNest& nest) {
    if (const std::optional<IndexRanges> ranges = ranges_of(nest)) {
      Stmt body = parts(*ranges);
      for (size_t d = ranges->loop; d-- > 0;) body = For::make(nest.loops[d], nest.extents[d], body);
      return body;
    }
    const StoreNest merged = merge_loops(nest, views_);
    Stmt body = whole_last_loop(merged, target_);
    for (size_t d = merged.loops.size() - 1; d-- > 0;) body = For::make(merged.loops[d], merged.extents[d], body);
    return body;
  }

  std::optional<IndexRanges> ranges_of(const StoreNest& nest) {
    std::optional<IndexRanges> ranges = split_by_index(nest, ranges_left_, analyzer_);
    const int lanes = vector_lanes(BufferStore::make(nest.buffer, nest.value, nest.indices), target_);
    if (!ranges || !fills_vectors(*ranges, lanes)) return std::nullopt;
    ranges_left_ -= ranges->nests.size();
    return ranges;
  }

  /// True when a range of the nest is loaded along another axis than it is stored, so that it takes tiles.
  bool has_transpose(const StoreNest& nest) {
    if (const std::optional<IndexRanges> ranges = split_by_index(nest, ranges_left_, analyzer_))
      return std::ranges::any_of(ranges->nests, [&](const StoreNest& part) { return has_transpose(part); });
    BufferViews views;
    return read_transpose(merge_loops(nest, views), target_).has_value();
  }

  /// The ranges as nests of their own.
  Stmt one_by_one(const IndexRanges& ranges) {
    std::vector<Stmt> out;
    for (const StoreNest& part : ranges.nests) out.push_back(loops(part));
    return Seq::make(std::move(out));
  }

  /// The ranges one after another, within the loops before the one that they are of.
  Stmt parts(const IndexRanges& ranges) {
    std::vector<Stmt> out;
    for (StoreNest part : ranges.nests) {
      const auto outer = static_cast<std::ptrdiff_t>(ranges.loop);
      part.loops.erase(part.loops.begin(), part.loops.begin() + outer);
      part.extents.erase(part.extents.begin(), part.extents.begin() + outer);
      part.kinds.erase(part.kinds.begin(), part.kinds.begin() + outer);
      out.push_back(serial_loops(part));
    }
    return Seq::make(std::move(out));
  }

  /// Ranges of the outermost loop each have threads of their own; others share the loops around them.
  Stmt in_ranges(const StoreNest& nest, const IndexRanges& ranges) {
    const OuterLoops outer = outer_loops(nest, ranges.loop);
    if (const int64_t* count = find_int(outer.count); count && *count == 1) return one_by_one(ranges);
    Stmt body = parts(ranges);
    Scalar inner_count = int_imm(1);
    for (size_t d = nest.loops.size(); d-- > outer.end;) {
      inner_count = product(inner_count, as_index(nest.extents[d]));
      if (d < ranges.loop) body = For::make(nest.loops[d], nest.extents[d], body);
    }
    return on_threads(nest, outer, inner_count, body);
  }

  const Target& target_;
  Analyzer& analyzer_;
  const Tiles tiles_;
  bool has_tiles_ = false;
  BufferViews views_;
  size_t ranges_left_ = kMostRanges;
};

std::optional<StatementGroup> recognise_map(const PrimFunc&, const RootBody& root, size_t first) {
  std::optional<StoreNest> nest = read_store_nest(root.stmts[first]);
  if (!nest || !nest->is_spatial() || nest->init || nest->loops.empty()) return std::nullopt;
  return StatementGroup{first, 1, *std::move(nest)};
}

constexpr const char *kInTiles = "tiles", *kInLines = "lines";

/// Writes a nest, and says whether it has a transpose.
std::pair<Stmt, bool> written_map(const GroupInKernel& at, const Target& target, Tiles tiles) {
  Analyzer analyzer;
  for (const Ref<SymVar>& dim : at.func.dims()) analyzer.assume(dim, {0, Interval::kMax});
  MapWriter writer(target, analyzer, tiles);
  Stmt loops = writer.parallel(std::get<StoreNest>(at.group.form));
  return {std::move(loops), writer.has_tiles()};
}

std::optional<WrittenGroup> write_map(const GroupInKernel& at, const Target& target, const std::string& plan) {
  return WrittenGroup{written_map(at, target, plan == kInLines ? Tiles::None : Tiles::OfTransposes).first, 1};
}

std::vector<std::string> map_plans(const GroupInKernel& at, const Target& target) {
  if (!written_map(at, target, Tiles::OfTransposes).second) return {};
  return {kInTiles, kInLines};
}

}  // namespace

Stmt serial_elementwise(const StoreNest& nest, const Target& target) {
  if (nest.loops.empty()) return BufferStore::make(nest.buffer, nest.value, nest.indices);
  Analyzer analyzer;
  return MapWriter(target, analyzer).serial(nest);
}

const Family kMapFamily{true, recognise_map, write_map, map_plans};

}  // namespace sunmao
