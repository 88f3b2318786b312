#include "passes/schedule/row/schedule_reduction.h"

#include <algorithm>
#include <utility>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/contraction/contraction.h"
#include "passes/schedule/map/merge_loops.h"
#include "passes/schedule/row/reduction.h"
#include "passes/schedule/row/reduction_parts.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kMostAccumulators = 4;  // vectors; independent ones hide the latency of an addition

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

bool has_vector_form(const Reduction& r, size_t i, int lanes) {
  const Ref<SymVar>& loop = r.nest.loops[i];
  const Ref<Buffer> probe = Buffer::make("probe", r.nest.buffer->dtype, {r.nest.extents[i]});
  return vectorize(BufferStore::make(probe, r.element, {loop}), loop, IntImm::make(loop->dtype, 0), lanes).has_value();
}

/// Returns the last loop of the results, where a vector of them has a form.
std::optional<size_t> results_of_vector(const Reduction& r, int lanes) {
  if (r.spatial.empty() || uses(r.nest.init, *r.nest.loops[r.spatial.back()])) return std::nullopt;
  return has_vector_form(r, r.spatial.back(), lanes) ? std::optional(r.spatial.back()) : std::nullopt;
}

/// True when results of a loop fill vectors, and their elements lie close together, as those of pools do.
bool fill_vectors(const Reduction& r, size_t loop, int lanes) {
  const int64_t* extent = find_int(r.nest.extents[loop]);
  return !(extent && *extent < lanes) && is_near(r.element, r.nest.loops[loop], kFarthest);
}

class ReductionWriter {
 public:
  ReductionWriter(Reduction r, const Target& target, bool is_serial)
      : r_(std::move(r)), is_serial_(is_serial), dtype_(r_.nest.buffer->dtype),
        lanes_(vector_lanes(BufferStore::make(r_.nest.buffer, r_.element, r_.nest.indices), target)),
        together_(vectors_together(r_.element, target)) {}

  /// Returns the scheduled reduction; null when neither a reduced loop nor the last spatial one can be vectorized.
  Stmt run() {
    const std::optional<size_t> axis = lanes_ > 1 ? vector_loop_of(r_, lanes_) : std::nullopt;
    if (!axis) return nullptr;
    if (r_.nest.kinds[*axis] == IterKind::Spatial) return across_results();
    const auto at = std::ranges::find(r_.reduced, *axis);
    std::rotate(at, at + 1, r_.reduced.end());
    return along_reduced();
  }

 private:
  Ref<SymVar> loop(size_t i) const { return r_.nest.loops[i]; }

  Ref<Buffer> local(const char* name, int64_t rows, int64_t lanes) const {
    return Buffer::make(name, dtype_, {int_imm(rows), int_imm(lanes)}, {.scope = "local"});
  }

  Scalar element_at(size_t i, const Scalar& index) const {
    return substitute(r_.element, {{loop(i), as_type_of(loop(i), index)}});
  }

  Stmt accumulate(const Ref<Buffer>& acc, const Scalar& row, const Scalar& lane, const Scalar& value) const {
    return BufferStore::make(acc, r_.combined(load(acc, {row, lane}), value), {row, lane});
  }

  /// Emits what takes a vector of elements: one loop that adds them, and one that keeps them. An element at or behind
  /// `limit` is the neutral one, and is not kept.
  Stmt take(size_t axis, int64_t lanes, const Scalar& first, const Scalar& limit,
            const std::function<Stmt(const Scalar& j, const Scalar& value)>& add) const {
    const Stmt sums = vector_loop("j", lanes, [&](const Scalar& j) {
      const Scalar at = sum(first, j), value = element_at(axis, at);
      return add(j, limit ? if_inside(at, limit, value) : value);
    });
    const Stmt hint = r_.hint && !limit && axis == r_.reduced.back() ? r_.hint(first) : nullptr;
    if (!r_.kept) return hint ? Seq::make({hint, sums}) : sums;
    const Stmt keeps = vector_loop("j", lanes, [&](const Scalar& j) {
      const Scalar at = sum(first, j);
      const Stmt store = substitute(BufferStore::make(r_.kept->buffer, r_.kept->value, r_.kept->indices),
                                    {{loop(axis), as_type_of(loop(axis), at)}});
      return limit ? IfThenElse::make(Binary::make(BinaryOp::Lt, at, limit), store) : store;
    });
    return hint ? Seq::make({hint, sums, keeps}) : Seq::make({sums, keeps});
  }

  /// What is accumulated apart along a loop: vectors, possibly of several registers.
  struct Accumulators {
    int64_t count, lanes;
    int64_t elements() const { return count * lanes; }
  };
  Accumulators accumulators(size_t axis, int64_t most) const {
    const int64_t* extent = find_int(r_.nest.extents[axis]);
    const int64_t count = extent ? std::clamp<int64_t>(*extent / lanes_, 1, most) : most;
    const int64_t together = count % together_ == 0 ? together_ : 1;
    return {count / together, together * lanes_};
  }

  Stmt fill(const Ref<Buffer>& acc, const Scalar& value) const {
    return unrolled_loop("u", *find_int(acc->shape[0]), [&](const Scalar& u) {
      return vector_loop("j", *find_int(acc->shape[1]),
                         [&](const Scalar& j) { return BufferStore::make(acc, value, {u, j}); });
    });
  }

  Stmt around_reduced(Stmt body, size_t count) const {
    for (size_t d = count; d-- > 0;) body = For::make(loop(r_.reduced[d]), r_.nest.extents[r_.reduced[d]], body);
    return body;
  }

  Stmt around_spatial(Stmt body, size_t count, bool is_serial) const {
    size_t shared = 0;  // the loop whose iterations threads share
    while (shared + 1 < count && is_one(r_.nest.extents[r_.spatial[shared]])) ++shared;
    Scalar size = int_imm(1);
    for (size_t i = 0; i < r_.nest.loops.size(); ++i)
      if (count > 0 && i != r_.spatial[shared]) size = product(size, as_index(r_.nest.extents[i]));
    for (size_t d = count; d-- > 0;) {
      const size_t i = r_.spatial[d];
      body = d == shared && !is_serial ? chunked_loop(loop(i), r_.nest.extents[i], size, body)
                                       : For::make(loop(i), r_.nest.extents[i], body);
    }
    return body;
  }

  // Vectorizes the last reduced loop; the last vector of a row is masked where it is not full.
  Stmt along_reduced() const {
    const size_t axis = r_.reduced.back();
    const Scalar extent = as_index(r_.nest.extents[axis]);
    const Accumulators all = accumulators(axis, together_ > 1 ? together_ : kMostAccumulators);
    const Ref<Buffer> acc = local("acc", all.count, all.lanes);
    const Scalar block = int_imm(all.elements()), width = int_imm(lanes_);
    const Scalar blocks = compare(BinaryOp::FloorDiv, extent, block),
                 vectors = compare(BinaryOp::FloorDiv, extent, width);
    const Scalar in_blocks = product(blocks, int_imm(all.elements() / lanes_)), done = product(vectors, width);
    const auto step = [&](int64_t lanes, const Scalar& u, const Scalar& first, const Scalar& limit = {}) {
      return take(axis, lanes, first, limit,
                  [&](const Scalar& j, const Scalar& value) { return accumulate(acc, u, j, value); });
    };
    std::vector<Stmt> steps;
    if (!is_zero(blocks))
      steps.push_back(serial_loop("block", blocks, [&](const Scalar& b) {
        return unrolled_loop("u", all.count, [&](const Scalar& u) {
          return step(all.lanes, u, product(sum(product(b, int_imm(all.count)), u), int_imm(all.lanes)));
        });
      }));
    if (const Scalar single = compare(BinaryOp::Sub, vectors, in_blocks); !is_zero(single))
      steps.push_back(serial_loop("vector", single, [&](const Scalar& v) {
        return step(lanes_, int_imm(0), product(sum(in_blocks, v), width));
      }));
    const Scalar left = compare(BinaryOp::Sub, extent, done);
    const int64_t* left_over = find_int(left);
    if (!left_over || *left_over > 0) {
      const Stmt rest = step(lanes_, int_imm(0), done, extent);
      steps.push_back(left_over ? rest : IfThenElse::make(compare(BinaryOp::Lt, done, extent), rest));
    }
    Stmt reduce = around_reduced(Seq::make(std::move(steps)), r_.reduced.size() - 1);
    return around_spatial(AllocBuffer::make(acc, Seq::make({fill(acc, r_.neutral()), reduce, fold(acc)})),
                          r_.spatial.size(), is_serial_);
  }

  Scalar if_inside(const Scalar& at, const Scalar& limit, const Scalar& value) const {
    const Scalar is_inside = Binary::make(BinaryOp::Lt, at, limit);
    return ScalarCall::make("if_then_else", value->dtype, {is_inside, value, r_.neutral()});
  }

  // Combines all accumulators to one vector, then combines its halves repeatedly until one number remains.
  Stmt fold(const Ref<Buffer>& acc) const {
    const int64_t width = *find_int(acc->shape[1]);
    const Ref<Buffer> lanes = local("lanes", 1, width);
    const Scalar zero = int_imm(0);
    std::vector<Stmt> steps{vector_loop("j", width, [&](const Scalar& j) {
      Scalar all = load(acc, {zero, j});
      for (int64_t u = 1; u < *find_int(acc->shape[0]); ++u) all = r_.combined(all, load(acc, {int_imm(u), j}));
      return BufferStore::make(lanes, all, {zero, j});
    })};
    steps.push_back(combined_lanes(r_, lanes));
    steps.push_back(store_result(r_.nest, r_.epilogue, r_.from_init(load(lanes, {zero, zero}))));
    return AllocBuffer::make(lanes, Seq::make(std::move(steps)));
  }

  // Vectorizes the last spatial loop: computes several vectors of results together, so that each access to a row of the
  // input reads whole cache lines.
  Stmt across_results() const {
    const size_t axis = r_.spatial.back();
    const Scalar extent = as_index(r_.nest.extents[axis]);
    const Accumulators all = accumulators(axis, kMostAccumulators);
    const Scalar block = int_imm(all.elements()), width = int_imm(lanes_);
    const Scalar blocks = compare(BinaryOp::FloorDiv, extent, block), done = product(blocks, block);
    const Scalar vectors = compare(BinaryOp::FloorDiv, compare(BinaryOp::Sub, extent, done), width);
    const Scalar end = sum(done, product(vectors, width)), left = compare(BinaryOp::Sub, extent, end);
    const auto of_block = [&](const Scalar& b) { return results(axis, product(b, block), all, nullptr); };
    // Threads take blocks of results where there are few outer loops for them.
    const bool takes_blocks = !is_serial_ && has_few_outside();
    Scalar size = int_imm(1);
    for (const Scalar& n : r_.nest.extents) size = product(size, as_index(n));
    const Scalar worth_it = compare(BinaryOp::Ge, size, int_imm(kWorthThreads));
    std::vector<Stmt> parts;
    if (!is_zero(blocks))
      parts.push_back(takes_blocks ? parallel_loop("block", blocks, worth_it, of_block)
                                   : serial_loop("block", blocks, of_block));
    if (!is_zero(vectors))
      parts.push_back(serial_loop("vector", vectors, [&](const Scalar& v) {
        return results(axis, sum(done, product(v, width)), {1, lanes_}, nullptr);
      }));
    if (!is_zero(left)) {
      const Stmt rest = results(axis, end, {1, lanes_}, extent);
      parts.push_back(find_int(left) ? rest : IfThenElse::make(compare(BinaryOp::Lt, end, extent), rest));
    }
    Stmt body = Seq::make(std::move(parts));
    return around_spatial(body, r_.spatial.size() - 1, is_serial_ || takes_blocks);
  }

  bool has_few_outside() const {
    constexpr int64_t kFew = 4;
    int64_t count = 1;
    for (size_t d = 0; d + 1 < r_.spatial.size(); ++d) {
      const int64_t* extent = find_int(r_.nest.extents[r_.spatial[d]]);
      if (!extent || *extent > kFew) return false;
      count *= *extent;
    }
    const int64_t* last = find_int(r_.nest.extents[r_.spatial.back()]);
    return count < kFew && last && *last > lanes_ * kMostAccumulators;
  }

  Stmt results(size_t axis, const Scalar& first, const Accumulators& all, const Scalar& limit) const {
    const Ref<Buffer> acc = local("acc", all.count, all.lanes);
    const auto begin = [&](const Scalar& u) { return sum(first, product(u, int_imm(all.lanes))); };
    auto for_each = [&](const std::function<Stmt(const Scalar& u, const Scalar& j, const Scalar& at)>& body) {
      return unrolled_loop("u", all.count, [&](const Scalar& u) {
        return vector_loop("j", all.lanes, [&](const Scalar& j) { return body(u, j, sum(begin(u), j)); });
      });
    };
    Stmt reduce = around_reduced(
        unrolled_loop("u", all.count,
                      [&](const Scalar& u) {
                        return take(axis, all.lanes, begin(u), limit,
                                    [&](const Scalar& j, const Scalar& value) { return accumulate(acc, u, j, value); });
                      }),
        r_.reduced.size());
    Stmt store = for_each([&](const Scalar& u, const Scalar& j, const Scalar& at) {
      Stmt s =
          substitute(store_result(r_.nest, r_.epilogue, load(acc, {u, j})), {{loop(axis), as_type_of(loop(axis), at)}});
      return limit ? IfThenElse::make(Binary::make(BinaryOp::Lt, at, limit), s) : s;
    });
    return AllocBuffer::make(acc, Seq::make({fill(acc, r_.nest.init), reduce, store}));
  }

  Reduction r_;
  const bool is_serial_;  // on the thread of the caller alone
  const DType dtype_;
  const int lanes_, together_;  // elements of a register, and registers that are computed together
};

/// Returns an elementwise nest on the loops of a reduction whose element is what the nest stores.
std::optional<StoreNest> on_loops_of(const Reduction& r, const StoreNest& made) {
  const auto* read = find<BufferLoad>(r.element);
  if (!read || read->buffer != made.buffer || made.loops.size() != r.nest.loops.size()) return std::nullopt;
  Substitution map;
  Analyzer analyzer;
  for (size_t d = 0; d < made.indices.size(); ++d) {
    const auto own = std::ranges::find_if(made.loops, [&](const auto& l) { return l.get() == made.indices[d].get(); });
    const auto theirs =
        std::ranges::find_if(r.nest.loops, [&](const auto& l) { return l.get() == read->indices[d].get(); });
    if (own == made.loops.end() || theirs == r.nest.loops.end()) {
      if (!structural_equal(made.indices[d], read->indices[d])) return std::nullopt;
      continue;
    }
    const auto i = static_cast<size_t>(own - made.loops.begin()),
               k = static_cast<size_t>(theirs - r.nest.loops.begin());
    if (map.contains(*own) || !analyzer.can_prove_equal(made.extents[i], r.nest.extents[k])) return std::nullopt;
    map[*own] = as_type_of(*own, *theirs);
  }
  if (map.size() != made.loops.size()) return std::nullopt;
  StoreNest out = made;
  out.value = substitute(made.value, map);
  for (Scalar& i : out.indices) i = substitute(i, map);
  return out;
}

/// Returns a reduction with neighbouring reduced loops as one.
Reduction with_merged_loops(const Reduction& r, BufferViews& views) {
  const StoreNest merged = merge_reduced_loops(r.nest, views);
  std::optional<Reduction> out = merged.loops.size() < r.nest.loops.size() ? read_reduction(merged) : std::nullopt;
  if (!out) return r;
  out->epilogue = r.epilogue;
  return *std::move(out);
}

/// Takes the initialisation before a reduction and the elementwise statement behind it along.
std::optional<StatementGroup> recognise_reduction(const PrimFunc& func, const RootBody& root, size_t first) {
  const size_t at = place_of_reduction(root, first);
  std::optional<Reduction> r = read_reduction(root.stmts[at], at > first ? root.stmts[first] : Stmt());
  if (!r) return std::nullopt;
  if (at + 1 < root.stmts.size() && !is_parameter(func, r->nest.buffer) && !is_read_after(root, at + 2, r->nest.buffer))
    r->epilogue = match_epilogue(r->nest, root.stmts[at + 1]);
  const size_t count = at + 1 - first + (r->epilogue ? 1 : 0);
  const bool is_certain = vector_loop_of(*r, kFewestLanes).has_value();
  return StatementGroup{first, count, *std::move(r), is_certain};
}

/// Few results are computed from parts, which threads share. Their combination has loops of its own.
std::optional<WrittenGroup> write_reduction(const GroupInKernel& at, const Target& target, const std::string&) {
  BufferViews views;
  Reduction r = with_merged_loops(std::get<Reduction>(at.group.form), views);
  const std::optional<StoreNest> epilogue = std::exchange(r.epilogue, std::nullopt);
  std::optional<ReductionParts> parts = parts_of(r);
  const Stmt first = parts ? ReductionWriter(parts->partial, target, false).run() : nullptr;
  if (first) r = parts->combined;
  size_t count = at.group.count;
  if (epilogue) r.epilogue = first ? match_epilogue(r.nest, at.root.stmts[at.group.first + count - 1]) : epilogue;
  if (epilogue && !r.epilogue) --count;
  const Stmt rest = ReductionWriter(std::move(r), target, first != nullptr).run();
  if (!rest) return std::nullopt;
  if (!first) return WrittenGroup{views.declare(rest), count};
  return WrittenGroup{views.declare(Seq::make({first, rest})), count, {parts->partial.nest.buffer}};
}

}  // namespace

std::optional<size_t> vector_loop_of(const Reduction& r, int lanes) {
  const std::optional<size_t> results = results_of_vector(r, lanes);
  for (size_t i = r.reduced.size(); i-- > 0;) {
    const Scalar& extent = r.nest.extents[r.reduced[i]];
    if (is_one(extent) || !has_vector_form(r, r.reduced[i], lanes)) continue;
    const bool fills_no_vector = find_int(extent) && *find_int(extent) < lanes;
    return fills_no_vector && results && fill_vectors(r, *results, lanes) ? results : r.reduced[i];
  }
  return results;
}

Stmt serial_reduction(const StoreNest& nest, const Target& target, const OnTheWay& on_the_way) {
  std::optional<Reduction> reduction = read_reduction(nest);
  if (!reduction) return nullptr;
  BufferViews views;
  if (!on_the_way.made && !on_the_way.hint) reduction = with_merged_loops(*reduction, views);
  reduction->hint = on_the_way.hint;
  if (on_the_way.made) {
    reduction->kept = on_loops_of(*reduction, *on_the_way.made);
    if (!reduction->kept) return nullptr;
    reduction->element = reduction->kept->value;
  }
  const Stmt loops = ReductionWriter(*reduction, target, true).run();
  return loops ? views.declare(loops) : nullptr;
}

const Family kReductionFamily{true, recognise_reduction, write_reduction};

}  // namespace sunmao
