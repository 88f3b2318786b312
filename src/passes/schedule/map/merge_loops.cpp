#include "passes/schedule/map/merge_loops.h"

#include <algorithm>

#include "loop/builder.h"
#include "passes/loop/chunked_loop.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

/// Two neighbouring loops of a nest, as those of which one may be made.
class Pair {
 public:
  Pair(const StoreNest& nest, size_t upper)
      : upper_(nest.loops[upper]), lower_(nest.loops[upper + 1]), extent_(nest.extents[upper + 1]),
        both_(SymVar::make(lower_->name, DType::int_(64))) {}

  const Ref<SymVar>& both() const { return both_; }

  /// Where indices have both loops: the dimension of the upper one, whose index may be more by `offset` (null: not),
  /// while the next index is the lower loop.
  struct Place {
    size_t dim;
    Scalar offset;
  };
  /// Returns the place of the loops; nullopt when the indices have them in another way, or not at all.
  std::optional<Place> find_in(const Buffer& b, const std::vector<Scalar>& indices) const {
    if (!b.is_dense() || b.elem_offset || !b.data) return std::nullopt;
    const auto at = std::ranges::find_if(indices, [&](const Scalar& i) { return uses(i, *upper_); });
    const auto dim = static_cast<size_t>(at - indices.begin());
    if (dim + 1 >= indices.size() || indices[dim + 1].get() != lower_.get()) return std::nullopt;
    for (size_t d = 0; d < indices.size(); ++d)
      if ((d != dim && uses(indices[d], *upper_)) || (d != dim + 1 && uses(indices[d], *lower_))) return std::nullopt;
    if (!Analyzer().can_prove_equal(b.shape[dim + 1], extent_)) return std::nullopt;
    if (at->get() == upper_.get()) return Place{dim, nullptr};
    const auto* sum = find<Binary>(*at);
    if (!sum || sum->op != BinaryOp::Add) return std::nullopt;
    const bool is_first = sum->a.get() == upper_.get();
    if ((!is_first && sum->b.get() != upper_.get()) || uses(is_first ? sum->b : sum->a, *upper_)) return std::nullopt;
    return Place{dim, is_first ? sum->b : sum->a};
  }

  bool is_in(const std::vector<Scalar>& indices) const {
    return std::ranges::any_of(indices, [&](const Scalar& i) { return uses(i, *upper_) || uses(i, *lower_); });
  }

  /// True when nothing but the indices of loads depends on the loops, and these can be merged.
  bool fits(const Scalar& s) const {
    if (s.get() == upper_.get() || s.get() == lower_.get()) return false;
    if (const auto* load = find<BufferLoad>(s); load && is_in(load->indices))
      return !load->predicate && find_in(*load->buffer, load->indices).has_value();
    bool fit = true;
    for_each_child(s, [&](const Scalar& child) { fit = fit && fits(child); });
    return fit;
  }

  Ref<Buffer> view(const Ref<Buffer>& b, size_t d, BufferViews& views) const {
    std::vector<Scalar> shape = b->shape;
    shape[d] = product(as_index(shape[d]), as_index(shape[d + 1]));
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1);
    return views.of(b, shape);
  }
  std::vector<Scalar> merged(std::vector<Scalar> indices, const Place& at) const {
    indices[at.dim] = at.offset ? sum(both_, product(as_index(at.offset), as_index(extent_))) : both_;
    indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(at.dim) + 1);
    return indices;
  }

 private:
  const Ref<SymVar> upper_, lower_;
  const Scalar extent_;
  const Ref<SymVar> both_;
};

bool are_reduced(const StoreNest& nest, size_t upper) {
  return nest.kinds[upper] == IterKind::Reduce && nest.kinds[upper + 1] == IterKind::Reduce;
}

/// Makes one loop of `upper` and the one behind it; nullopt when that cannot be.
std::optional<StoreNest> merge(const StoreNest& nest, size_t upper, BufferViews& views) {
  const Pair pair(nest, upper);
  const std::optional<Pair::Place> at = pair.find_in(*nest.buffer, nest.indices);
  if ((are_reduced(nest, upper) ? pair.is_in(nest.indices) : !at) || !pair.fits(nest.value)) return std::nullopt;
  StoreNest out = nest;
  if (at) {
    out.buffer = pair.view(nest.buffer, at->dim, views);
    out.indices = pair.merged(nest.indices, *at);
  }
  out.value = map_loads(nest.value, [&](const BufferLoad& l) -> Scalar {
    const std::optional<Pair::Place> place = pair.find_in(*l.buffer, l.indices);
    return place ? load(pair.view(l.buffer, place->dim, views), pair.merged(l.indices, *place)) : Scalar();
  });
  out.loops[upper] = pair.both();
  out.extents[upper] = product(as_index(nest.extents[upper]), as_index(nest.extents[upper + 1]));
  const auto lower = static_cast<std::ptrdiff_t>(upper) + 1;
  out.loops.erase(out.loops.begin() + lower);
  out.extents.erase(out.extents.begin() + lower);
  out.kinds.erase(out.kinds.begin() + lower);
  return out;
}

/// The nest without loops of one iteration, as long as it has others.
StoreNest without_ones(const StoreNest& nest) {
  StoreNest out = nest;
  Substitution zero;
  for (size_t d = out.loops.size(); d-- > 0 && out.loops.size() > 1;) {
    const int64_t* extent = find_int(out.extents[d]);
    if (!extent || *extent != 1) continue;
    zero[out.loops[d]] = IntImm::make(out.loops[d]->dtype, 0);
    const auto at = static_cast<std::ptrdiff_t>(d);
    out.loops.erase(out.loops.begin() + at);
    out.extents.erase(out.extents.begin() + at);
    out.kinds.erase(out.kinds.begin() + at);
  }
  if (zero.empty()) return out;
  for (Scalar& i : out.indices) i = substitute(i, zero);
  out.value = substitute(out.value, zero);
  return out;
}

}  // namespace

StoreNest merge_reduced_loops(const StoreNest& nest, BufferViews& views) {
  StoreNest out = nest;
  for (size_t upper = nest.loops.size(); !nest.predicate && upper-- > 0;)
    if (upper + 1 < out.loops.size() && are_reduced(out, upper))
      if (const std::optional<StoreNest> fewer = merge(out, upper, views)) out = *fewer;
  return out;
}

StoreNest merge_loops(const StoreNest& nest, BufferViews& views) {
  if (nest.predicate || nest.init) return nest;
  StoreNest out = without_ones(nest);
  for (size_t upper = out.loops.size(); upper-- > 0;)
    if (upper + 1 < out.loops.size())
      if (const std::optional<StoreNest> fewer = merge(out, upper, views)) out = *fewer;
  return out;
}

}  // namespace sunmao
