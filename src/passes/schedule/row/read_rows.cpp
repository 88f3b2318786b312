#include <algorithm>
#include <unordered_map>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/schedule/row/quotient_loops.h"
#include "passes/schedule/row/rows.h"
#include "support/shape_bytes.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kLargestRow = 64 << 10;  // bytes of all temporaries of a row
constexpr int64_t kColumns = 256;          // of a block, where the last dimension is no part of the rows
constexpr int64_t kFewRows = 4, kLongRow = 1 << 18;

/// Returns the nest with loop variables that no other statement has.
StoreNest with_own_loops(StoreNest nest) {
  Substitution fresh;
  for (Ref<SymVar>& loop : nest.loops) {
    const Ref<SymVar> own = SymVar::make(loop->name, loop->dtype);
    fresh[loop] = own;
    loop = own;
  }
  for (Scalar& index : nest.indices) index = substitute(index, fresh);
  nest.value = substitute(nest.value, fresh);
  if (nest.init) nest.init = substitute(nest.init, fresh);
  return nest;
}

/// Where statements access a buffer, the stores among them.
struct Accesses {
  Ref<Buffer> buffer;
  std::vector<std::vector<Scalar>> indices;
  std::vector<size_t> writers;  // statements
  std::vector<size_t> readers;
};

/// Statements of a root block.
struct StatementRange {
  size_t first, end;
};

class RowReader {
 public:
  RowReader(const PrimFunc& func, const RootBody& root, StatementRange stmts, std::vector<StoreNest> nests)
      : func_(func), root_(root), stmts_(stmts), nests_(std::move(nests)) {
    for (size_t i = 0; i < nests_.size(); ++i) {
      StoreNest& nest = nests_[i] = with_quotient_loops(with_own_loops(std::move(nests_[i])));
      Accesses& written = accesses_of(nest.buffer);
      written.indices.push_back(nest.indices);
      written.writers.push_back(i);
      const auto read = [&](const BufferLoad& l) {
        Accesses& a = accesses_of(l.buffer);
        a.indices.push_back(l.indices);
        if (a.readers.empty() || a.readers.back() != i) a.readers.push_back(i);
      };
      for_each_load(nest.value, read);
      for (const Scalar& index : nest.indices) for_each_load(index, read);
    }
    std::erase_if(accesses_, [](const Accesses& a) { return a.writers.empty(); });
  }

  std::optional<RowGroup> read() {
    join_loops();
    find_rows();
    if (classes_.empty()) return std::nullopt;
    store_in_results();
    return group();
  }

 private:
  /// Loops of all statements that turn together: one of each.
  struct Class {
    const Node* root;
    Ref<SymVar> row;  // null for columns that stay loops of the statements
    Scalar extent;
    Scalar first = {};  // of the columns of a block
    bool is_columns = false;
  };

  Accesses& accesses_of(const Ref<Buffer>& b) {
    const auto at = std::ranges::find(accesses_, b, &Accesses::buffer);
    if (at != accesses_.end()) return *at;
    return accesses_.emplace_back(Accesses{.buffer = b, .indices = {}, .writers = {}, .readers = {}});
  }

  const Node* root_of(const Node* loop) const {
    for (auto at = parents_.find(loop); at != parents_.end(); at = parents_.find(loop)) loop = at->second;
    return loop;
  }
  bool is_loop(const Scalar& s) const {
    return std::ranges::any_of(nests_, [&](const StoreNest& n) {
      return std::ranges::any_of(n.loops, [&](const Ref<SymVar>& l) { return l.get() == s.get(); });
    });
  }

  /// Loops that are the same index of a buffer turn together.
  void join_loops() {
    for (const Accesses& a : accesses_)
      for (size_t d = 0; d < a.buffer->shape.size(); ++d)
        for (const std::vector<Scalar>& indices : a.indices) {
          if (!is_loop(indices[d]) || !is_loop(a.indices[0][d])) continue;
          const Node *x = root_of(a.indices[0][d].get()), *y = root_of(indices[d].get());
          if (x != y) parents_[y] = x;
        }
  }

  bool is_of(const Class& c, const Scalar& index) const { return is_loop(index) && root_of(index.get()) == c.root; }
  bool is_dimension(const Class& c, const Accesses& a, size_t d) const {
    return std::ranges::all_of(a.indices, [&](const std::vector<Scalar>& indices) { return is_of(c, indices[d]); });
  }

  /// True when each statement has one loop of the class, of as many iterations, and what one stores the others read in
  /// the same iteration.
  bool is_row(const Class& c) const {
    Analyzer analyzer;
    for (const StoreNest& nest : nests_) {
      int found = 0;
      for (size_t i = 0; i < nest.loops.size(); ++i) {
        if (root_of(nest.loops[i].get()) != c.root) continue;
        ++found;
        if (nest.kinds[i] != IterKind::Spatial || !analyzer.can_prove_equal(nest.extents[i], c.extent)) return false;
      }
      if (found != 1) return false;
    }
    return std::ranges::all_of(accesses_, [&](const Accesses& a) {
      if (a.indices.size() == 1) return true;
      for (size_t d = 0; d < a.buffer->shape.size(); ++d)
        if (is_dimension(c, a, d)) return true;
      return false;
    });
  }

  void find_rows() {
    const StoreNest& last = nests_.back();
    for (size_t i = 0; i < last.loops.size(); ++i) {
      Class c{.root = root_of(last.loops[i].get()), .row = {}, .extent = last.extents[i]};
      if (!is_row(c)) continue;
      c.is_columns = last.indices.back().get() == last.loops[i].get();
      const int64_t* extent = find_int(c.extent);
      if (!c.is_columns)
        c.row = SymVar::make(last.loops[i]->name, last.loops[i]->dtype);
      else if (!extent || *extent > kColumns)
        c.first = product(c.row = SymVar::make(last.loops[i]->name + "_block"), int_imm(kColumns));
      classes_.push_back(std::move(c));
    }
    if (std::ranges::none_of(classes_, [](const Class& c) { return c.row != nullptr; })) classes_.clear();
  }

  bool is_shared(const Buffer& b) const {
    if (std::ranges::none_of(root_.temps, [&](const Ref<Buffer>& t) { return t.get() == &b; })) return true;
    for (size_t i = 0; i < root_.stmts.size(); ++i) {
      const bool is_inside = i >= stmts_.first && i < stmts_.end;
      if (!is_inside && (count_loads(root_.stmts[i], b) > 0 || stores_to(root_.stmts[i], b))) return true;
    }
    return false;
  }

  /// A temporary lies in the result that the last statement to read it computes from it element by element, where there
  /// is one.
  void store_in_results() {
    for (const Accesses& a : std::vector<Accesses>(accesses_)) {
      if (a.readers.empty() || is_shared(*a.buffer)) continue;
      const size_t last = a.readers.back();
      const StoreNest& nest = nests_[last];
      const Accesses& result = accesses_of(nest.buffer);
      const bool is_last = std::ranges::all_of(a.writers, [&](size_t w) { return w < last; });
      if (!is_last || !nest.is_spatial() || nest.buffer->dtype != a.buffer->dtype || result.writers.size() != 1 ||
          !result.readers.empty() || !is_parameter(func_, nest.buffer))
        continue;
      std::vector<Scalar> own;
      bool fits = true;
      for_each_load(nest.value, [&](const BufferLoad& l) {
        if (l.buffer != a.buffer) return;
        if (own.empty()) own = l.indices;
        for (size_t d = 0; d < own.size(); ++d) fits = fits && own[d].get() == l.indices[d].get();
      });
      fits = fits && own.size() == nest.loops.size();
      for (size_t i = 0; fits && i < nest.loops.size(); ++i) {
        const auto place = std::ranges::find_if(own, [&](const Scalar& s) { return s.get() == nest.loops[i].get(); });
        fits = place != own.end() &&
               Analyzer().can_prove_equal(nest.extents[i], a.buffer->shape[static_cast<size_t>(place - own.begin())]);
      }
      if (fits && is_read_in_values(*a.buffer)) move(a.buffer, own, nest.buffer, nest.indices);
    }
  }

  /// True when no index and no initial value depends on the buffer.
  bool is_read_in_values(const Buffer& b) const {
    bool found = false;
    for (const StoreNest& nest : nests_) {
      const auto look = [&](const BufferLoad& l) { found = found || l.buffer.get() == &b; };
      for (const Scalar& index : nest.indices) for_each_load(index, look);
      if (nest.init) for_each_load(nest.init, look);
    }
    return !found;
  }

  /// Replaces `from` by `to`, where the elements `own` of the one are the elements `place` of the other.
  void move(const Ref<Buffer>& from, const std::vector<Scalar>& own, const Ref<Buffer>& to,
            const std::vector<Scalar>& place) {
    const auto moved = [&](const std::vector<Scalar>& indices) {
      Substitution map;
      for (size_t d = 0; d < own.size(); ++d) {
        const Ref<SymVar> loop = find_ref<SymVar>(own[d]);
        map[loop] = as_type_of(loop, indices[d]);
      }
      std::vector<Scalar> out;
      for (const Scalar& i : place) out.push_back(substitute(i, map));
      return out;
    };
    for (StoreNest& nest : nests_) {
      nest.value = map_loads(
          nest.value, [&](const BufferLoad& l) { return l.buffer == from ? load(to, moved(l.indices)) : Scalar(); });
      if (nest.buffer != from) continue;
      nest.indices = moved(nest.indices);
      nest.buffer = to;
    }
    const Accesses gone = accesses_of(from);
    Accesses& result = accesses_of(to);
    for (const std::vector<Scalar>& indices : gone.indices) result.indices.push_back(moved(indices));
    result.writers.insert(result.writers.end(), gone.writers.begin(), gone.writers.end());
    result.readers.insert(result.readers.end(), gone.readers.begin(), gone.readers.end());
    std::erase_if(accesses_, [&](const Accesses& a) { return a.buffer == from; });
  }

  std::optional<RowGroup> group() {
    RowGroup out{.first = stmts_.first,
                 .count = stmts_.end - stmts_.first,
                 .rows = {},
                 .extents = {},
                 .nests = {},
                 .local = {},
                 .row_size = {}};
    for (const Class& c : classes_) {
      if (!c.row) continue;
      out.rows.push_back(c.row);
      out.extents.push_back(c.is_columns ? ceil_div(as_index(c.extent), kColumns) : c.extent);
    }
    int64_t bytes = 0;
    std::unordered_map<Ref<Buffer>, std::vector<bool>> dropped;  // dimensions, of buffers that become local
    BufferMap local;
    for (const Accesses& a : accesses_) {
      if (is_shared(*a.buffer)) continue;
      std::vector<Scalar> shape;
      std::vector<bool>& drops = dropped[a.buffer];
      std::vector<int64_t> sizes;
      for (size_t d = 0; d < a.buffer->shape.size(); ++d) {
        const auto c = std::ranges::find_if(classes_, [&](const Class& k) { return is_dimension(k, a, d); });
        const bool is_kept = c == classes_.end() || c->is_columns;
        drops.push_back(!is_kept);
        if (!is_kept) continue;
        shape.push_back(c != classes_.end() && c->first ? int_imm(kColumns) : a.buffer->shape[d]);
        const int64_t* size = find_int(shape.back());
        if (!size) return std::nullopt;
        sizes.push_back(*size);
      }
      if (shape.empty()) shape.push_back(int_imm(1));
      const std::optional<int64_t> own = shape_bytes(sizes, a.buffer->dtype);
      if (!own || (bytes += *own) > kLargestRow) return std::nullopt;
      out.local.push_back(local[a.buffer] =
                              Buffer::make(a.buffer->name + "_row", a.buffer->dtype, shape, {.scope = "local"}));
    }
    for (const StoreNest& nest : nests_) {
      out.nests.push_back(in_row(nest, local, dropped));
      const Scalar size = row_size(nest);
      const int64_t *known = find_int(size), *longest = out.row_size ? find_int(out.row_size) : nullptr;
      if (!out.row_size || !known || (longest && *known > *longest)) out.row_size = size;
    }
    Scalar rows = int_imm(1);
    for (const Scalar& extent : out.extents) rows = product(rows, as_index(extent));
    const int64_t *count = find_int(rows), *size = find_int(out.row_size);
    if (count && *count < kFewRows && size && *size > kLongRow) return std::nullopt;
    return out;
  }

  /// Returns how many elements a statement computes for a row.
  Scalar row_size(const StoreNest& nest) const {
    Scalar size = int_imm(1);
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      const auto c = std::ranges::find(classes_, root_of(nest.loops[i].get()), &Class::root);
      if (c == classes_.end() || !c->row) size = product(size, as_index(nest.extents[i]));
      if (c != classes_.end() && c->first) size = product(size, int_imm(kColumns));
    }
    return size;
  }

  StoreNest in_row(const StoreNest& nest, const BufferMap& local,
                   const std::unordered_map<Ref<Buffer>, std::vector<bool>>& dropped) const {
    StoreNest out = nest;
    Substitution at, in_block;
    for (size_t i = nest.loops.size(); i-- > 0;) {
      const auto c = std::ranges::find(classes_, root_of(nest.loops[i].get()), &Class::root);
      if (c == classes_.end() || !c->row) continue;
      const auto place = static_cast<std::ptrdiff_t>(i);
      if (c->is_columns) {
        const Ref<SymVar> column = SymVar::make(nest.loops[i]->name);
        in_block[nest.loops[i]] = column;
        at[nest.loops[i]] = as_type_of(nest.loops[i], sum(c->first, column));
        const int64_t* extent = find_int(c->extent);
        out.loops[i] = column;
        out.extents[i] = extent && *extent % kColumns == 0 ? int_imm(kColumns)
                                                           : min(int_imm(kColumns), as_index(c->extent) - c->first);
        continue;
      }
      at[nest.loops[i]] = as_type_of(nest.loops[i], c->row);
      out.loops.erase(out.loops.begin() + place);
      out.extents.erase(out.extents.begin() + place);
      out.kinds.erase(out.kinds.begin() + place);
    }
    const auto kept = [&](const Ref<Buffer>& b, const std::vector<Scalar>& indices) {
      const std::vector<bool>& drops = dropped.at(b);
      std::vector<Scalar> rest;
      for (size_t d = 0; d < indices.size(); ++d) {
        if (drops[d]) continue;
        const Ref<SymVar> loop = find_ref<SymVar>(indices[d]);
        const auto column = loop ? in_block.find(loop) : in_block.end();
        rest.push_back(column != in_block.end() ? column->second : indices[d]);
      }
      if (rest.empty()) rest.push_back(int_imm(0));
      return rest;
    };
    const auto localised = [&](const Scalar& s) {
      return substitute(map_loads(s,
                                  [&](const BufferLoad& l) {
                                    const auto to = local.find(l.buffer);
                                    return to == local.end() ? Scalar() : load(to->second, kept(l.buffer, l.indices));
                                  }),
                        at);
    };
    if (const auto to = local.find(nest.buffer); to != local.end()) {
      out.indices = kept(nest.buffer, nest.indices);
      out.buffer = to->second;
    }
    for (Scalar& index : out.indices) index = localised(index);
    out.value = localised(out.value);
    if (out.init) out.init = localised(out.init);
    return out;
  }

  const PrimFunc& func_;
  const RootBody& root_;
  const StatementRange stmts_;
  std::vector<StoreNest> nests_;
  std::vector<Accesses> accesses_;
  std::unordered_map<const Node*, const Node*> parents_;  // of loops that turn together
  std::vector<Class> classes_;
};

bool is_reduction(const StoreNest& nest) { return !nest.is_spatial(); }

}  // namespace

std::optional<RowGroup> read_rows(const PrimFunc& func, const RootBody& root, size_t first) {
  std::vector<StoreNest> nests;
  std::vector<size_t> ends;  // behind each nest: the statement that follows
  for (size_t i = first; i < root.stmts.size(); i = ends.back()) {
    const size_t at =
        place_of_reduction(root, i);  // an initialisation of its own, as a reduction of unknown length has
    std::optional<StoreNest> nest = read_store_nest(root.stmts[at]);
    if (nest && at > i) nest->init = initial_value(root.stmts[i], *nest);
    if (!nest || nest->predicate || nest->loops.empty() || is_reduction(*nest) == !nest->init) break;
    nests.push_back(std::move(*nest));
    ends.push_back(at + 1);
  }
  for (; nests.size() > 1 && std::ranges::any_of(nests, is_reduction); nests.pop_back(), ends.pop_back()) {
    if (nests.size() == 2 && match_epilogue(nests[0], root.stmts[ends[0]])) return std::nullopt;
    if (std::optional<RowGroup> group = RowReader(func, root, {first, ends.back()}, nests).read()) return group;
  }
  return std::nullopt;
}

}  // namespace sunmao
