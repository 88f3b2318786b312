#include "passes/schedule/row/bounded_exps.h"

#include <algorithm>
#include <optional>

#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/schedule/row/reduction.h"
#include "sym/equal.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

/// True when a nest from `first` on, before `end`, stores what `value` loads.
bool is_stored_between(const RowGroup& group, size_t first, size_t end, const Scalar& value) {
  bool found = false;
  for_each_load(value, [&](const BufferLoad& l) {
    for (size_t i = first; i < end; ++i) found = found || group.nests[i].buffer == l.buffer;
  });
  return found;
}

/// True when `top` loads the maximum over the row of what `value` is in the loops of the nest `at`.
bool is_maximum_of(const RowGroup& group, size_t at, const Scalar& top, const Scalar& value) {
  const auto* read = find<BufferLoad>(top);
  const auto writes = [&](const StoreNest& nest) { return read && nest.buffer == read->buffer; };
  if (std::ranges::count_if(group.nests, writes) != 1) return false;
  const auto first = static_cast<size_t>(std::ranges::find_if(group.nests, writes) - group.nests.begin());
  const StoreNest &maximum = group.nests[first], &own = group.nests[at];
  const std::optional<Reduction> r = maximum.is_spatial() ? std::nullopt : read_reduction(maximum);
  if (!r || r->combine != BinaryOp::Max || maximum.predicate || maximum.loops.size() != own.loops.size() ||
      first >= at || is_stored_between(group, first, at, value))
    return false;
  Substitution same;
  for (size_t i = 0; i < own.loops.size(); ++i) {
    if (!structural_equal(maximum.extents[i], own.extents[i])) return false;
    same[maximum.loops[i]] = as_type_of(maximum.loops[i], own.loops[i]);
  }
  const auto is_there = [&](const Scalar& a, const Scalar& b) { return structural_equal(substitute(a, same), b); };
  return structural_equal(substitute(r->element, same), value) &&
         std::ranges::equal(maximum.indices, read->indices, is_there);
}

}  // namespace

RowGroup with_bounded_exps(RowGroup group, const Target& target) {
  if (target.isa.has(Instruction::ScaleByPower)) return group;
  for (size_t at = 0; at < group.nests.size(); ++at) {
    group.nests[at].value = rewrite(group.nests[at].value, [&](const Scalar& s) -> Scalar {
      const auto* call = find<ScalarCall>(s);
      const auto* less = call && call->name == "exp" && s->dtype.bits <= 32 ? find<Binary>(call->args[0]) : nullptr;
      if (!less || less->op != BinaryOp::Sub || !is_maximum_of(group, at, less->b, less->a)) return nullptr;
      return ScalarCall::make("exp_at_most_one", call->dtype, call->args);
    });
  }
  return group;
}

}  // namespace sunmao
