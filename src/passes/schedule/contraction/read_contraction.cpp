#include <algorithm>
#include <ranges>

#include "loop/walk.h"
#include "passes/schedule/contraction/contraction.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

/// Returns the product that the nest adds to its element; null when it does something else.
const Binary* added_product(const StoreNest& nest) {
  const auto* update = find<Binary>(nest.value);
  if (!update || update->op != BinaryOp::Add) return nullptr;
  const bool own_first = is_own_element(nest, update->a);
  if (!own_first && !is_own_element(nest, update->b)) return nullptr;
  const auto* product = find<Binary>(own_first ? update->b : update->a);
  return product && product->op == BinaryOp::Mul ? product : nullptr;
}

/// True when each spatial loop is an index of the element for itself, and all other indices are constant.
bool writes_each_once(const StoreNest& nest) {
  std::vector<bool> seen(nest.loops.size());
  for (const Scalar& index : nest.indices) {
    if (find_int(index)) continue;
    const auto at = std::ranges::find_if(nest.loops, [&](const auto& l) { return l.get() == index.get(); });
    if (at == nest.loops.end()) return false;
    const auto i = static_cast<size_t>(at - nest.loops.begin());
    if (seen[i] || nest.kinds[i] != IterKind::Spatial) return false;
    seen[i] = true;
  }
  for (size_t i = 0; i < nest.loops.size(); ++i)
    if (nest.kinds[i] == IterKind::Spatial && !seen[i]) return false;
  return true;
}

/// Returns the number by which all uses of a loop in the operands are divided, as quotients and remainders; 0 when
/// there is none.
int64_t common_divisor(const Contraction& c, const Ref<SymVar>& loop) {
  int64_t divisor = 0, all = 0, divided = 0;
  bool is_one = true;
  for (const Scalar& operand : {c.left, c.right})
    visit_all(operand, [&](const Scalar& s) {
      all += s.get() == loop.get();
      const auto* n = find<Binary>(s);
      if (!n || n->a.get() != loop.get() || (n->op != BinaryOp::FloorDiv && n->op != BinaryOp::FloorMod)) return;
      const int64_t* by = find_int(n->b);
      is_one = is_one && by && (divisor == 0 || divisor == *by);
      if (by) divisor = *by;
      ++divided;
    });
  return is_one && all == divided ? divisor : 0;
}

/// Splits loops of which the operands use quotients and remainders, as in transposed convolutions whose kernel is as
/// large as their stride: the loop of the remainders comes behind that of the quotients.
void split_loops(Contraction& c) {
  for (size_t i = 0; i < c.nest.loops.size(); ++i) {
    const Ref<SymVar> loop = c.nest.loops[i];
    const int64_t* extent = find_int(c.nest.extents[i]);
    const int64_t by = c.nest.kinds[i] == IterKind::Spatial && extent ? common_divisor(c, loop) : 0;
    if (by < 2 || *extent % by != 0) continue;
    const Ref<SymVar> whole = SymVar::make(loop->name, loop->dtype),
                      rest = SymVar::make(loop->name + "_r", loop->dtype);
    const auto typed = [&](int64_t n) { return IntImm::make(loop->dtype, n); };
    for (Scalar* operand : {&c.left, &c.right})
      *operand = rewrite(*operand, [&](const Scalar& s) -> Scalar {
        const auto* n = find<Binary>(s);
        if (!n || n->a.get() != loop.get()) return nullptr;
        return n->op == BinaryOp::FloorDiv ? whole : n->op == BinaryOp::FloorMod ? rest : Ref<SymVar>();
      });
    for (Scalar& index : c.nest.indices) index = substitute(index, {{loop, whole * typed(by) + rest}});
    const auto at = static_cast<std::ptrdiff_t>(i) + 1;
    c.nest.extents[i] = typed(*extent / by);
    c.nest.loops[i] = whole;
    c.nest.loops.insert(c.nest.loops.begin() + at, rest);
    c.nest.extents.insert(c.nest.extents.begin() + at, typed(by));
    c.nest.kinds.insert(c.nest.kinds.begin() + at, IterKind::Spatial);
    ++i;
  }
}

/// Returns the loop of the output's last dimension of more than one element; of a split loop that of the quotients.
std::optional<size_t> last_dimension(const StoreNest& nest) {
  for (size_t d = nest.indices.size(); d-- > 0;) {
    const int64_t* size = find_int(nest.buffer->shape[d]);
    if (size && *size == 1) continue;
    for (size_t i = 0; i < nest.loops.size(); ++i)
      if (uses(nest.indices[d], *nest.loops[i])) return i;
    return std::nullopt;
  }
  return std::nullopt;
}

int64_t known_extent(const Contraction& c, size_t i) {
  const int64_t* n = find_int(c.extent(i));
  return n ? *n : 0;
}

/// Of the loops that `left` alone depends on: the innermost of at least four iterations or of unknown number, else that
/// of most iterations.
std::optional<size_t> find_row(const Contraction& c) {
  constexpr int64_t kEnough = 4;
  std::optional<size_t> best;
  for (size_t i = c.nest.loops.size(); i-- > 0;) {
    if (c.nest.kinds[i] != IterKind::Spatial || i == c.column) continue;
    if (!uses(c.left, *c.loop(i)) || uses(c.right, *c.loop(i))) continue;
    const int64_t extent = known_extent(c, i);
    if (extent == 0 || extent >= kEnough) return i;
    if (!best || extent > known_extent(c, *best)) best = i;
  }
  return best;
}

}  // namespace

bool reads_again(const Contraction& c, const Buffer& buffer) {
  constexpr int64_t kFewWindows = 9;  // that an element may lie in: a mask in each costs less than a copy of all
  bool again = false;
  for (const Scalar& operand : {c.left, c.right})
    for_each_load(operand, [&](const BufferLoad& load) {
      if (load.buffer.get() != &buffer) return;
      const auto is_moved_by = [&](size_t i) {
        return [&, i](const Scalar& index) { return uses(index, *c.loop(i)); };
      };
      for (size_t i = 0; i < c.nest.loops.size(); ++i) {
        const bool is_outside = c.nest.kinds[i] == IterKind::Spatial && known_extent(c, i) != 1;
        again = again || (is_outside && std::ranges::none_of(load.indices, is_moved_by(i)));
      }
      int64_t windows = 1;
      for (const Scalar& index : load.indices) {
        const bool is_outside = std::ranges::any_of(std::views::iota(size_t{0}, c.nest.loops.size()), [&](size_t i) {
          return c.nest.kinds[i] == IterKind::Spatial && uses(index, *c.loop(i));
        });
        for (size_t step : c.steps)
          if (is_outside && uses(index, *c.loop(step))) windows *= std::max<int64_t>(1, known_extent(c, step));
      }
      again = again || windows > kFewWindows;
    });
  return again;
}

bool is_contiguous(const Scalar& value, const Ref<SymVar>& loop) {
  Analyzer analyzer;
  bool is_one = true;
  for_each_load(value, [&](const BufferLoad& load) {
    const bool is_dense = load.buffer->is_dense();
    for (size_t d = 0; d < load.indices.size(); ++d) {
      const Scalar& index = load.indices[d];
      if (!uses(index, *loop)) continue;
      const Scalar next = substitute(index, {{loop, loop + IntImm::make(loop->dtype, 1)}});
      is_one = is_one && is_dense && d + 1 == load.indices.size() &&
               analyzer.can_prove_equal(next, index + IntImm::make(index->dtype, 1));
    }
  });
  return is_one;
}

std::optional<Contraction> read_contraction(const Stmt& s, const Stmt& before) {
  std::optional<StoreNest> nest = read_store_nest(s);
  if (!nest || nest->is_spatial() || nest->predicate || nest->annotations.has("anchor")) return std::nullopt;
  Contraction c{.nest = std::move(*nest), .left = {}, .right = {}, .column = 0, .row = {}, .outer = {}, .steps = {}};
  if (!c.nest.init && before && covers_buffer(c.nest)) {
    c.nest.init = initial_value(before, c.nest);
    c.takes_before = true;
  }
  const Binary* product = added_product(c.nest);
  const bool is_constant = find<FloatImm>(c.nest.init) || find<IntImm>(c.nest.init);
  if (!product || !is_constant || !writes_each_once(c.nest) || !c.nest.buffer->is_dense()) return std::nullopt;
  c.left = product->a;
  c.right = product->b;
  split_loops(c);
  const std::optional<size_t> column = last_dimension(c.nest);
  if (!column) return std::nullopt;
  c.column = *column;
  if (!uses(c.right, *c.loop(c.column))) std::swap(c.left, c.right);
  c.is_left_vector = uses(c.left, *c.loop(c.column));
  bool reads_out = false;
  for (const Scalar& operand : {c.left, c.right})
    for_each_load(operand, [&](const BufferLoad& l) { reads_out |= l.buffer == c.nest.buffer; });
  if (reads_out || !uses(c.right, *c.loop(c.column))) return std::nullopt;
  c.row = find_row(c);
  if (!c.row && c.is_left_vector) {  // the operand that more loops move is the one of the rows
    std::swap(c.left, c.right);
    c.row = find_row(c);
  }
  for (size_t i = 0; i < c.nest.loops.size(); ++i) {
    if (c.nest.kinds[i] == IterKind::Reduce)
      c.steps.push_back(i);
    else if (i != c.column && i != c.row)
      c.outer.push_back(i);
  }
  return c;
}

}  // namespace sunmao
