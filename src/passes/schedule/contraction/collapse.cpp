#include "passes/schedule/contraction/collapse.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

// How much fuller vectors must be where the right operand is contiguous only as long as nothing is collapsed.
constexpr double kWorthPacking = 1.3, kWorthIt = 1.05;

double filled(int64_t columns, int64_t lanes) {
  const int64_t computed = (columns + lanes - 1) / lanes * lanes;
  return static_cast<double>(columns) / static_cast<double>(computed);
}

class Collapser {
 public:
  Collapser(const Contraction& c, size_t upper, BufferViews& views)
      : outer_(c.loop(upper)), inner_(c.loop(c.column)), width_(*find_int(c.extent(c.column))),
        height_(*find_int(c.extent(upper))), both_(SymVar::make(inner_->name, DType::int_(64))), views_(views) {}

  const Ref<SymVar>& both() const { return both_; }
  int64_t count() const { return width_ * height_; }

  /// Returns the dimension at which the indices have both loops side by side over all of the buffer.
  std::optional<size_t> pair_in(const Buffer& b, const std::vector<Scalar>& indices) const {
    if (!b.is_dense() || b.elem_offset || !b.data) return std::nullopt;
    for (size_t d = 0; d + 1 < indices.size(); ++d) {
      const int64_t *h = find_int(b.shape[d]), *w = find_int(b.shape[d + 1]);
      if (indices[d].get() == outer_.get() && indices[d + 1].get() == inner_.get() && h && *h == height_ && w &&
          *w == width_)
        return d;
    }
    return std::nullopt;
  }

  Ref<Buffer> view(const Ref<Buffer>& b, size_t d) {
    std::vector<Scalar> shape = b->shape;
    shape[d] = int_imm(count());
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1);
    return views_.of(b, shape);
  }
  std::vector<Scalar> merged(std::vector<Scalar> indices, size_t d) const {
    indices[d] = both_;
    indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(d) + 1);
    return indices;
  }

  Scalar scalar(const Scalar& s) {
    const Scalar viewed = map_loads(s, [&](const BufferLoad& l) -> Scalar {
      const std::optional<size_t> d = pair_in(*l.buffer, l.indices);
      return d ? load(view(l.buffer, *d), merged(l.indices, *d)) : Scalar();
    });
    const auto typed = [](const Ref<SymVar>& v, const Scalar& x) {
      return v->dtype == x->dtype ? x : Cast::make(v->dtype, x);
    };
    return substitute(viewed, {{outer_, typed(outer_, floor_div(both_, int_imm(width_)))},
                               {inner_, typed(inner_, floor_mod(both_, int_imm(width_)))}});
  }

  /// Rewrites where a nest stores; false when it does not have both loops side by side.
  bool store(StoreNest& nest) {
    const std::optional<size_t> d = pair_in(*nest.buffer, nest.indices);
    if (!d) return false;
    nest.buffer = view(nest.buffer, *d);
    nest.indices = merged(nest.indices, *d);
    return true;
  }

 private:
  const Ref<SymVar> outer_, inner_;
  const int64_t width_, height_;
  const Ref<SymVar> both_;
  BufferViews& views_;
};

/// Returns the loop of the dimension before that of the columns, when collapsing may help.
std::optional<size_t> upper_loop(const Contraction& c, int64_t lanes) {
  const int64_t* width = find_int(c.extent(c.column));
  if (!width || c.is_left_vector) return std::nullopt;
  for (size_t i : c.outer) {
    const int64_t* height = find_int(c.extent(i));
    if (!height || *height < 2 || uses(c.left, *c.loop(i))) continue;
    for (size_t d = 0; d + 1 < c.nest.indices.size(); ++d)
      if (c.nest.indices[d].get() == c.loop(i).get() && c.nest.indices[d + 1].get() == c.loop(c.column).get())
        return filled(*width * *height, lanes) > kWorthIt * filled(*width, lanes) ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Contraction> collapse_columns(const Contraction& c, int64_t lanes, BufferViews& views) {
  const std::optional<size_t> upper = upper_loop(c, lanes);
  if (!upper) return std::nullopt;
  Collapser collapser(c, *upper, views);
  Contraction out = c;
  const int64_t width = *find_int(c.extent(c.column));
  out.right = collapser.scalar(c.right);
  const bool loses_contiguity = is_contiguous(c.right, c.loop(c.column)) && !is_contiguous(out.right, collapser.both());
  if (loses_contiguity && filled(collapser.count(), lanes) < kWorthPacking * filled(width, lanes)) return std::nullopt;
  if (!collapser.store(out.nest)) return std::nullopt;
  if (out.epilogue) {
    // The result that the epilogue reads is named by the buffer that the nest stores to.
    out.epilogue->value = map_loads(out.epilogue->value, [&](const BufferLoad& l) {
      return l.buffer == c.nest.buffer ? load(out.nest.buffer, out.nest.indices) : Scalar();
    });
    out.epilogue->value = collapser.scalar(out.epilogue->value);
    if (!collapser.store(*out.epilogue)) return std::nullopt;
  }
  out.nest.loops[c.column] = collapser.both();
  out.nest.extents[c.column] = int_imm(collapser.count());
  out.nest.extents[*upper] = int_imm(1);
  std::erase(out.outer, *upper);
  return out;
}

}  // namespace sunmao
