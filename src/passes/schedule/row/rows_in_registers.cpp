#include "passes/schedule/row/rows_in_registers.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/row/quotients.h"
#include "passes/schedule/row/reduction.h"

namespace sunmao {
namespace {

constexpr int64_t kMostVectors = 8;  // of a row; what is computed of it and constants take as many registers again
constexpr int64_t kMostRows = 4;     // at once

/// A row, and how its vectors are written.
class RegisterRow {
 public:
  RegisterRow(const RowGroup& group, const Target& target)
      : nests_(group.nests), locals_(group.local), target_(target) {}

  /// True when a row fits registers, and all statements have a form.
  bool read() {
    if (!read_size() || !keep_results()) return false;
    return std::ranges::all_of(nests_, [&](const StoreNest& nest) { return fits(nest); });
  }

  /// Returns how many rows fit registers together: one goes on while another waits for its result.
  int64_t rows_at_once() const {
    const int64_t registers = target_.isa.vector_registers / 2;
    return std::clamp<int64_t>(registers / vectors_, 1, kMostRows);
  }

  /// Returns one of the rows, with buffers of its own.
  RegisterRow at(const Substitution& place) const {
    RegisterRow out = *this;
    out.make_buffers();
    for (StoreNest& nest : out.nests_) {
      nest.value = substitute(nest.value, place);
      for (Scalar& index : nest.indices) index = substitute(index, place);
      if (nest.init) nest.init = substitute(nest.init, place);
    }
    return out;
  }

  const std::vector<StoreNest>& nests() const { return nests_; }
  const std::vector<Ref<Buffer>>& locals() const { return locals_; }

  Stmt elementwise(const StoreNest& nest) const {
    if (nest.loops.empty()) return BufferStore::make(nest.buffer, nest.value, nest.indices);
    std::vector<Stmt> out;
    for (int64_t v = 0; v < vectors_; ++v)
      out.push_back(vector_loop("j", lanes_, [&](const Scalar& j) {
        std::vector<Scalar> indices;
        for (const Scalar& i : nest.indices)
          indices.push_back(substitute(i, {{nest.loops[0], as_type_of(nest.loops[0], place(v, j))}}));
        const Stmt store = BufferStore::make(nest.buffer, value_at(nest.value, nest, v, j), indices);
        return is_whole(v) || is_local(nest.buffer) ? store : IfThenElse::make(is_inside(place(v, j)), store);
      }));
    return Seq::make(std::move(out));
  }

  Stmt reduction(const Reduction& r) const {
    const Ref<Buffer> lanes =
        Buffer::make("lanes", r.nest.buffer->dtype, {int_imm(1), int_imm(lanes_)}, {.scope = "local"});
    const Scalar zero = int_imm(0);
    const Stmt all = vector_loop("j", lanes_, [&](const Scalar& j) {
      std::vector<Scalar> elements;
      for (int64_t v = 0; v < vectors_; ++v) {
        const Scalar element = value_at(r.element, r.nest, v, j);
        elements.push_back(is_whole(v) ? element : Select::make(is_inside(place(v, j)), element, r.neutral()));
      }
      while (elements.size() > 1) {  // pairs, and pairs of pairs: a short chain
        const size_t half = (elements.size() + 1) / 2;
        for (size_t i = 0; i + half < elements.size(); ++i) elements[i] = r.combined(elements[i], elements[i + half]);
        elements.resize(half);
      }
      return BufferStore::make(lanes, elements[0], {zero, j});
    });
    const Stmt result = BufferStore::make(r.nest.buffer, r.from_init(load(lanes, {zero, zero})), r.nest.indices);
    return AllocBuffer::make(lanes, Seq::make({all, combined_lanes(r, lanes), result}));
  }

 private:
  /// Reads the length of a row, and how many elements a vector has: the same in all statements.
  bool read_size() {
    for (const StoreNest& nest : nests_) {
      if (nest.loops.empty()) continue;
      const int64_t* extent = find_int(nest.extents[0]);
      const int lanes = vector_lanes(BufferStore::make(nest.buffer, nest.value, nest.indices), target_);
      if (nest.loops.size() > 1 || !extent || (size_ != 0 && (*extent != size_ || lanes != lanes_))) return false;
      size_ = *extent;
      lanes_ = lanes;
    }
    vectors_ = (size_ + lanes_ - 1) / lanes_;
    return lanes_ > 1 && size_ > 1 && vectors_ <= kMostVectors;
  }

  static bool is_local(const Ref<Buffer>& b) { return b->scope == "local"; }

  /// What lies in a result until the last statement replaces it gets a row of its own. False where another element than
  /// a statement's own is read there.
  bool keep_results() {
    for (size_t last = nests_.size(); last-- > 0;) {
      const StoreNest end = nests_[last];
      if (is_local(end.buffer)) continue;
      Ref<Buffer> row;
      for (size_t i = last; i-- > 0;) {
        StoreNest& nest = nests_[i];
        if (nest.buffer != end.buffer) continue;
        if (!row)
          locals_.push_back(
              row = Buffer::make(end.buffer->name + "_row", end.buffer->dtype, {int_imm(size_)}, {.scope = "local"}));
        if (nest.loops.empty() || !is_element(nest.indices, nest, end)) return false;
        nest.buffer = row;
        nest.indices = {nest.loops[0]};
      }
      for (StoreNest& nest : nests_) {
        bool is_own = true;
        nest.value = map_loads(nest.value, [&](const BufferLoad& l) -> Scalar {
          if (l.buffer != end.buffer) return nullptr;
          is_own = is_own && row && !nest.loops.empty() && is_element(l.indices, nest, end);
          return is_own ? load(row, {nest.loops[0]}) : Scalar();
        });
        if (!is_own) return false;
      }
    }
    return true;
  }

  /// True when indices of a nest are those of the element that `end` stores in the same iteration.
  static bool is_element(const std::vector<Scalar>& indices, const StoreNest& nest, const StoreNest& end) {
    if (end.loops.empty()) return false;
    const Scalar own = as_type_of(end.loops[0], nest.loops[0]);
    return std::ranges::equal(indices, end.indices, [&](const Scalar& a, const Scalar& b) {
      return structural_equal(a, substitute(b, {{end.loops[0], own}}));
    });
  }

  /// True when a statement has the form of an elementwise loop or a reduction of numbers of one width, in vectors.
  bool fits(const StoreNest& nest) const {
    if (nest.loops.empty()) return true;
    const Ref<SymVar> loop = nest.loops[0];
    const std::optional<Reduction> reduction = nest.is_spatial() ? std::nullopt : read_reduction(nest);
    if (nest.predicate || (nest.is_spatial() ? nest.init != nullptr : !reduction)) return false;
    bool are_rows = !is_local(nest.buffer) || is_row(*nest.buffer, nest.indices, *loop);
    for_each_load(nest.value, [&](const BufferLoad& l) {
      are_rows = are_rows && (!is_local(l.buffer) || is_row(*l.buffer, l.indices, *loop));
    });
    if (!are_rows) return false;
    const bool is_along = std::ranges::any_of(nest.indices, [&](const Scalar& i) { return uses(i, *loop); });
    const Ref<Buffer> probe = Buffer::make("probe", nest.buffer->dtype, {nest.extents[0]});
    const Stmt store = reduction ? BufferStore::make(probe, reduction->element, {loop})
                                 : BufferStore::make(nest.buffer, nest.value, nest.indices);
    return is_along == nest.is_spatial() &&
           vectorize(store, loop, IntImm::make(loop->dtype, 0), static_cast<int>(lanes_)).has_value();
  }

  /// True when a buffer is a row, or its indices do not move along one.
  bool is_row(const Buffer& b, const std::vector<Scalar>& indices, const SymVar& loop) const {
    if (std::ranges::none_of(indices, [&](const Scalar& i) { return uses(i, loop); })) return true;
    return is_row(b) && indices.back().get() == &loop;
  }
  /// True when the last dimension is as long as a row, and the others have one element.
  bool is_row(const Buffer& b) const {
    const auto has = [](const Scalar& size, int64_t n) { return find_int(size) && *find_int(size) == n; };
    return !b.shape.empty() && has(b.shape.back(), size_) &&
           std::all_of(b.shape.begin(), b.shape.end() - 1, [&](const Scalar& size) { return has(size, 1); });
  }

  /// Makes the buffers anew, rows with whole vectors.
  void make_buffers() {
    BufferMap wide;
    for (Ref<Buffer>& b : locals_) {
      std::vector<Scalar> shape = b->shape;
      if (is_row(*b)) shape.back() = int_imm(vectors_ * lanes_);
      b = wide[b] = Buffer::make(b->name, b->dtype, shape, {.scope = "local"});
    }
    for (StoreNest& nest : nests_) {
      if (const auto to = wide.find(nest.buffer); to != wide.end()) nest.buffer = to->second;
      nest.value = map_loads(nest.value, [&](const BufferLoad& l) {
        const auto to = wide.find(l.buffer);
        return to == wide.end() ? Scalar() : load(to->second, l.indices);
      });
    }
  }

  bool is_whole(int64_t vector) const { return (vector + 1) * lanes_ <= size_; }
  Scalar place(int64_t vector, const Scalar& j) const { return sum(int_imm(vector * lanes_), j); }
  Scalar is_inside(const Scalar& at) const { return Binary::make(BinaryOp::Lt, at, int_imm(size_)); }

  /// Returns a value in a lane of a vector. Lanes behind the row read nothing but local buffers.
  Scalar value_at(const Scalar& value, const StoreNest& nest, int64_t vector, const Scalar& j) const {
    const Ref<SymVar> loop = nest.loops[0];
    const Scalar at = place(vector, j);
    const auto guarded = [&](const BufferLoad& l) -> Scalar {
      const bool moves = std::ranges::any_of(l.indices, [&](const Scalar& i) { return uses(i, *loop); });
      if (is_whole(vector) || is_local(l.buffer) || !moves) return nullptr;
      const Scalar there = load(l.buffer, l.indices);
      return ScalarCall::make("if_then_else", there->dtype, {is_inside(at), there, constant(there->dtype, 0)});
    };
    return substitute(map_loads(value, guarded), {{loop, as_type_of(loop, at)}});
  }

  std::vector<StoreNest> nests_;
  std::vector<Ref<Buffer>> locals_;
  const Target& target_;
  int64_t lanes_ = 1, size_ = 0, vectors_ = 0;
};

/// Emits the statements of some rows, each of all rows before the next.
Stmt some_rows(const RegisterRow& row, const RowGroup& group, const Scalar& first, int64_t count) {
  std::vector<RegisterRow> rows;
  for (int64_t r = 0; r < count; ++r) rows.push_back(row.at(place_of_row(group, sum(first, int_imm(r)))));
  std::vector<Stmt> steps;
  for (size_t i = 0; i < group.nests.size(); ++i) {
    std::vector<StoreNest> nests;
    for (const RegisterRow& r : rows) nests.push_back(r.nests()[i]);
    if (nests[0].is_spatial()) {
      steps.push_back(with_reciprocals(nests, [&](const StoreNest& nest) { return row.elementwise(nest); }));
      continue;
    }
    for (const StoreNest& nest : nests) steps.push_back(row.reduction(*read_reduction(nest)));
  }
  Stmt body = Seq::make(std::move(steps));
  for (const RegisterRow& r : rows)
    for (const Ref<Buffer>& b : r.locals()) body = AllocBuffer::make(b, body);
  return body;
}

}  // namespace

int64_t rows_that_fit_registers(const RowGroup& group, const Target& target) {
  RegisterRow row(group, target);
  return row.read() ? row.rows_at_once() : 0;
}

Stmt rows_in_registers(const RowGroup& group, const Target& target, int64_t at_once) {
  RegisterRow row(group, target);
  if (!row.read()) return nullptr;
  if (at_once == 0) at_once = row.rows_at_once();
  const Scalar count = count_of_rows(group), blocks = compare(BinaryOp::FloorDiv, count, int_imm(at_once)),
               done = product(blocks, int_imm(at_once)), left = compare(BinaryOp::Sub, count, done);
  const Ref<SymVar> block = SymVar::make("rows");
  const auto is_none = [](const Scalar& n) { return find_int(n) && *find_int(n) == 0; };
  std::vector<Stmt> parts;
  if (!is_none(blocks))
    parts.push_back(chunked_loop(block, blocks, product(group.row_size, int_imm(at_once)),
                                 some_rows(row, group, product(block, int_imm(at_once)), at_once)));
  if (!is_none(left))
    parts.push_back(serial_loop("row", left, [&](const Scalar& i) { return some_rows(row, group, sum(done, i), 1); }));
  return Seq::make(std::move(parts));
}

}  // namespace sunmao
