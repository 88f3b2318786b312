#include <algorithm>
#include <limits>
#include <ranges>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/contraction.h"
#include "passes/schedule/contraction/split_loops.h"
#include "passes/schedule/contraction/step.h"
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

/// Of the loops that `left` alone depends on: the innermost of at least four iterations or of unknown number, else that
/// of most iterations.
std::optional<size_t> find_row(const Contraction& c) {
  constexpr int64_t kEnough = 4;
  std::optional<size_t> best;
  for (size_t i = c.nest.loops.size(); i-- > 0;) {
    if (c.nest.kinds[i] != IterKind::Spatial || i == c.column) continue;
    if (!uses(c.left, *c.loop(i)) || uses(c.right, *c.loop(i))) continue;
    const int64_t extent = c.known_extent(i);
    if (extent == 0 || extent >= kEnough) return i;
    if (!best || extent > c.known_extent(*best)) best = i;
  }
  return best;
}

/// Replaces loops of one iteration by 0 in indices.
Scalar without_single_iterations(const Scalar& operand, const StoreNest& nest) {
  Substitution zeros;
  for (size_t i = 0; i < nest.loops.size(); ++i)
    if (const int64_t* extent = find_int(nest.extents[i]); extent && *extent == 1)
      zeros[nest.loops[i]] = IntImm::make(nest.loops[i]->dtype, 0);
  if (zeros.empty()) return operand;
  return rewrite(substitute(operand, zeros), [&](const Scalar& s) -> Scalar {
    const auto* n = find<Binary>(s);
    if (!n || n->op != BinaryOp::Add || !n->dtype.is_int()) return nullptr;
    return is_zero(n->b) ? n->a : is_zero(n->a) ? n->b : Scalar();
  });
}

/// Returns the load of an operand that is one, or the conversion of one; null for others.
const BufferLoad* loaded(const Scalar& operand) {
  const auto* widened = find<Cast>(operand);
  return find<BufferLoad>(widened ? widened->value : operand);
}

bool is_arithmetic(const Scalar& s) {
  if (find<BufferLoad>(s)) return true;
  if (const auto* cast = find<Cast>(s)) return is_arithmetic(cast->value);
  const auto* n = find<Binary>(s);
  const bool is_plain = n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub || n->op == BinaryOp::Mul);
  return is_plain && is_arithmetic(n->a) && is_arithmetic(n->b);
}

/// Finds out whether an operand that alone depends on the columns has them in panels, and makes it the right one.
void read_panels(Contraction& c, const Ref<SymVar>& column, const Scalar& extent) {
  if (!uses(c.right, *column)) std::swap(c.left, c.right);
  const int64_t width =
      (loaded(c.right) || is_computed(c.right)) && !uses(c.left, *column) ? common_divisor({c.right}, column) : 0;
  if (width < 2) return;
  const auto symbol = [&](const char* suffix) { return SymVar::make(column->name + suffix, column->dtype); };
  const Panels panels{width, symbol("_panel"), symbol("_rest"), symbol("_count")};
  const Scalar width_of = IntImm::make(column->dtype, width), panel_number = floor_div(column, width_of);
  const Scalar columns_left = extent - panel_number * width_of;
  Analyzer analyzer;
  // Children come first, so the number of columns is looked for before its parts are replaced.
  const Scalar counted = rewrite(c.right, [&](const Scalar& s) -> Scalar {
    const auto* n = find<Binary>(s);
    if (!n || n->op != BinaryOp::Min) return nullptr;
    const bool is_count = (structural_equal(n->a, width_of) && analyzer.can_prove_equal(n->b, columns_left)) ||
                          (structural_equal(n->b, width_of) && analyzer.can_prove_equal(n->a, columns_left));
    return is_count ? panels.count : Ref<SymVar>();
  });
  bool has_panel = false, has_rest = false;
  const Scalar right = rewrite(counted, [&](const Scalar& s) -> Scalar {
    const auto* n = find<Binary>(s);
    if (!n || n->a.get() != column.get()) return nullptr;
    has_panel = has_panel || n->op == BinaryOp::FloorDiv;
    has_rest = has_rest || n->op == BinaryOp::FloorMod;
    return n->op == BinaryOp::FloorDiv ? panels.panel : n->op == BinaryOp::FloorMod ? panels.rest : Ref<SymVar>();
  });
  if (!has_panel || !has_rest) return;
  Contraction in_panels = c;
  in_panels.right = right;
  in_panels.panels = panels;
  if (is_contiguous(right, panels.rest) || read_bundles(in_panels)) c = std::move(in_panels);
}

/// Returns by how many elements a step moves the place in memory that is loaded from; 0 when this is not constant.
int64_t distance(const BufferLoad& load, const Ref<SymVar>& step) {
  Analyzer analyzer;
  const Substitution next{{step, step + IntImm::make(step->dtype, 1)}};
  int64_t moved = 0, of_one = 1;
  for (size_t d = load.indices.size(); d-- > 0;) {
    const Scalar& index = load.indices[d];
    const Scalar difference = uses(index, *step) ? analyzer.simplify(substitute(index, next) - index) : int_imm(0);
    const int64_t *by = find_int(difference), *size = find_int(load.buffer->shape[d]);
    if (!by || (*by != 0 && of_one == 0)) return 0;
    moved += *by * of_one;
    of_one *= size ? *size : 0;
  }
  return moved;
}

/// Puts the steps in the order in which the right operand lies in memory.
void order_steps(Contraction& c) {
  Scalar right = c.right;
  if (c.panels) right = substitute(right, {{c.panels->count, IntImm::make(c.panels->count->dtype, c.panels->width)}});
  const BufferLoad* load = loaded(right);
  if (!load || !load->buffer->is_dense()) return;
  std::unordered_map<size_t, int64_t> distances;
  for (size_t step : c.steps) {
    // One iteration keeps no other step from being the innermost.
    distances[step] = c.known_extent(step) == 1 ? std::numeric_limits<int64_t>::max() : distance(*load, c.loop(step));
    if (distances[step] == 0) return;
  }
  std::ranges::stable_sort(c.steps, std::greater<>(), [&](size_t step) { return distances[step]; });
}

/// Makes the step that moves along the rows the last, so that neighbouring rows share what they read.
void window_last(Contraction& c) {
  for (size_t i = c.steps.size(); i-- > 0;) {
    bool along_rows = false;
    for_each_load(c.left, [&](const BufferLoad& load) {
      for (const Scalar& index : load.indices)
        along_rows = along_rows || (uses(index, *c.loop(*c.row)) && uses(index, *c.loop(c.steps[i])));
    });
    if (!along_rows) continue;
    const auto at = c.steps.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(at, at + 1, c.steps.end());
    return;
  }
}

bool moves_with_columns(const Contraction& c, const Scalar& s) {
  return uses(s, *c.loop(c.column)) || (c.groups && uses(s, *c.groups->number));
}

/// Takes the conditions of `if_then_else(condition, value, 0)` off operands that are read in place.
void take_guards(Contraction& c) {
  const auto split = [&](const auto& self, const Scalar& condition) -> void {
    const auto* n = find<Binary>(condition);
    if (!n || n->op != BinaryOp::And) return c.guards.push_back(condition);
    self(self, n->a);
    self(self, n->b);
  };
  for (Scalar* operand : {&c.left, &c.right}) {
    const Scalar inside = choice_of_conversions(*operand);
    const auto* chosen = find<ScalarCall>(inside);
    if (!chosen || chosen->name != "if_then_else" || moves_with_columns(c, chosen->args[0])) continue;
    const auto* zero = find<FloatImm>(chosen->args[2]);
    if (!zero || zero->value != 0 || !is_near(chosen->args[1], c.loop(c.column), kFarthest)) continue;
    split(split, chosen->args[0]);
    *operand = chosen->args[1];
  }
}

}  // namespace

Scalar choice_of_conversions(const Scalar& operand) {
  const auto* cast = find<Cast>(operand);
  const auto* chosen = cast ? find<ScalarCall>(cast->value) : nullptr;
  if (!chosen || chosen->name != "if_then_else" || !is_zero_number(chosen->args[2])) return operand;
  const DType t = cast->dtype;
  return ScalarCall::make("if_then_else", t, {chosen->args[0], Cast::make(t, chosen->args[1]), constant(t, 0)});
}

int64_t Contraction::known_extent(size_t i) const {
  const int64_t* n = find_int(extent(i));
  return n ? *n : 0;
}

Scalar right_in_panel(const Contraction& c) {
  if (!c.panels) return c.right;
  const auto typed = [&](int64_t n) { return IntImm::make(c.panels->panel->dtype, n); };
  return substitute(
      c.right,
      {{c.panels->panel, typed(0)}, {c.panels->rest, c.loop(c.column)}, {c.panels->count, typed(c.panels->width)}});
}

bool reads_again(const Contraction& c, const Buffer& buffer) {
  // Windows that an element may lie in: a mask in each costs less than a copy of all, where it is a mask of a vector,
  // and nothing where whole vectors are left out.
  constexpr int64_t kFewWindows = 9;
  bool again = false;
  for (const Scalar& operand : {c.left, c.right}) {
    const int64_t few = c.is_left_vector                   ? std::numeric_limits<int64_t>::max()
                        : uses(operand, *c.loop(c.column)) ? kFewWindows
                                                           : 1;
    for_each_load(operand, [&](const BufferLoad& load) {
      if (load.buffer.get() != &buffer) return;
      const auto is_moved_by = [&](size_t i) {
        return [&, i](const Scalar& index) {
          return i == c.column ? moves_with_columns(c, index) : uses(index, *c.loop(i));
        };
      };
      for (size_t i = 0; i < c.nest.loops.size(); ++i) {
        const bool is_outside = c.nest.kinds[i] == IterKind::Spatial && c.known_extent(i) != 1;
        again = again || (is_outside && std::ranges::none_of(load.indices, is_moved_by(i)));
      }
      int64_t windows = 1;
      for (const Scalar& index : load.indices) {
        const bool is_outside = std::ranges::any_of(std::views::iota(size_t{0}, c.nest.loops.size()), [&](size_t i) {
          return c.nest.kinds[i] == IterKind::Spatial && uses(index, *c.loop(i));
        });
        for (size_t step : c.steps)
          if (is_outside && uses(index, *c.loop(step))) windows *= std::max<int64_t>(1, c.known_extent(step));
      }
      again = again || windows > few;
    });
  }
  return again;
}

namespace {

/// True when the distance between what neighbouring iterations of `loop` load in `value` is known, lies within a row of
/// memory, and is accepted.
bool has_distance(const Scalar& value, const Ref<SymVar>& loop, const std::function<bool(int64_t)>& accepts) {
  Analyzer analyzer;
  bool all = true;
  for_each_load(value, [&](const BufferLoad& load) {
    for (size_t d = 0; d < load.indices.size(); ++d) {
      const Scalar& index = load.indices[d];
      if (!uses(index, *loop)) continue;
      const Scalar next = substitute(index, {{loop, loop + IntImm::make(loop->dtype, 1)}});
      const Scalar difference = analyzer.simplify(next - index);
      const int64_t* distance = find_int(difference);
      all = all && load.buffer->is_dense() && d + 1 == load.indices.size() && distance && accepts(*distance);
    }
  });
  return all;
}

}  // namespace

bool is_computed(const Scalar& operand) { return !loaded(operand) && is_arithmetic(operand); }

bool is_near(const Scalar& value, const Ref<SymVar>& loop, int64_t most) {
  return has_distance(value, loop, [&](int64_t distance) { return distance > 0 && distance <= most; });
}

bool lies_at_distance(const Scalar& value, const Ref<SymVar>& loop, int64_t distance) {
  return uses(value, *loop) && has_distance(value, loop, [&](int64_t d) { return d == distance; });
}

bool is_contiguous(const Scalar& value, const Ref<SymVar>& loop) { return is_near(value, loop, 1); }

std::optional<Contraction> read_contraction(const Stmt& s, const Stmt& before, NarrowGroups narrow) {
  std::optional<StoreNest> nest = read_store_nest(s);
  if (!nest || nest->is_spatial() || nest->predicate) return std::nullopt;
  Contraction c{.nest = std::move(*nest), .left = {}, .right = {}, .column = 0, .row = {}, .outer = {}, .steps = {}};
  if (!c.nest.init && before && covers_buffer(c.nest)) c.nest.init = initial_value(before, c.nest);
  const Binary* product = added_product(c.nest);
  const bool is_constant = find<FloatImm>(c.nest.init) || find<IntImm>(c.nest.init);
  if (!product || !is_constant || !writes_each_once(c.nest) || !c.nest.buffer->is_dense()) return std::nullopt;
  c.left = without_single_iterations(product->a, c.nest);
  c.right = without_single_iterations(product->b, c.nest);
  std::optional<size_t> column = last_dimension(c.nest);
  if (!column) return std::nullopt;
  c.column = *column;
  read_panels(c, c.loop(*column), c.extent(*column));
  const std::optional<Groups> groups = c.panels ? std::nullopt : take_groups(c, *column);
  if (groups && narrow == NarrowGroups::Lanes && are_lanes(c, *column, *groups)) {
    c.groups = groups;
  } else if (groups) {
    column = split_groups(c, *column, *groups);
    read_panels(c, c.loop(*column), c.extent(*column));
  } else if (!c.panels) {
    split_loops(c);
    column = last_dimension(c.nest);
  }
  c.column = *column;
  const auto moves_right = [&] { return c.panels || uses(c.right, *c.loop(c.column)); };
  if (!moves_right()) std::swap(c.left, c.right);
  c.is_left_vector = moves_with_columns(c, c.left);
  bool reads_out = false;
  for (const Scalar& operand : {c.left, c.right})
    for_each_load(operand, [&](const BufferLoad& l) { reads_out |= l.buffer == c.nest.buffer; });
  if (reads_out || !moves_right()) return std::nullopt;
  c.row = find_row(c);
  if (!c.row && c.is_left_vector) {  // the operand that more loops move is the one of the rows
    std::swap(c.left, c.right);
    c.row = find_row(c);
  }
  if (std::optional<Contraction> in_bundles = read_bundles(c)) c = std::move(*in_bundles);
  for (size_t i = 0; i < c.nest.loops.size(); ++i) {
    if (c.nest.kinds[i] == IterKind::Reduce)
      c.steps.push_back(i);
    else if (i != c.column && i != c.row)
      c.outer.push_back(i);
  }
  order_steps(c);
  if (c.is_left_vector) {
    if (c.row) window_last(c);
    if (!c.groups) take_guards(c);
  }
  return c;
}

}  // namespace sunmao
