#include "passes/schedule/contraction/collapse.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/step.h"

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
  Collapser(const Contraction& c, size_t upper, size_t lower, BufferViews& views)
      : outer_(c.loop(upper)), inner_(c.loop(lower)), width_(as_index(c.extent(lower))),
        height_(as_index(c.extent(upper))), both_(SymVar::make(inner_->name, DType::int_(64))), views_(views) {}

  const Ref<SymVar>& both() const { return both_; }
  Scalar count() const { return product(height_, width_); }

  /// Returns the dimension at which the indices have both loops side by side over all of the buffer.
  std::optional<size_t> pair_in(const Buffer& b, const std::vector<Scalar>& indices) const {
    if (!b.is_dense() || b.elem_offset || !b.data) return std::nullopt;
    for (size_t d = 0; d + 1 < indices.size(); ++d) {
      if (indices[d].get() == outer_.get() && indices[d + 1].get() == inner_.get() && is(b.shape[d], height_) &&
          is(b.shape[d + 1], width_))
        return d;
    }
    return std::nullopt;
  }

  Ref<Buffer> view(const Ref<Buffer>& b, size_t d) {
    std::vector<Scalar> shape = b->shape;
    shape[d] = count();
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
    return substitute(
        viewed, {{outer_, typed(outer_, floor_div(both_, width_))}, {inner_, typed(inner_, floor_mod(both_, width_))}});
  }

  /// Rewrites what `c` stores and its epilogue, and makes `upper` a loop of one iteration; false when they do not have
  /// both loops side by side.
  bool results(Contraction& c, size_t upper, size_t lower) {
    const Ref<Buffer> before = c.nest.buffer;
    if (!store(c.nest)) return false;
    if (c.epilogue) {
      // The result that the epilogue reads is named by the buffer that the nest stores to.
      c.epilogue->value = map_loads(c.epilogue->value, [&](const BufferLoad& l) {
        return l.buffer == before ? load(c.nest.buffer, c.nest.indices) : Scalar();
      });
      c.epilogue->value = scalar(c.epilogue->value);
      if (!store(*c.epilogue)) return false;
    }
    c.nest.loops[lower] = both_;
    c.nest.extents[lower] = count();
    c.nest.extents[upper] = int_imm(1);
    std::erase(c.outer, upper);
    return true;
  }

 private:
  static bool is(const Scalar& size, const Scalar& extent) { return structural_equal(as_index(size), extent); }

  /// Rewrites where a nest stores; false when it does not have both loops side by side.
  bool store(StoreNest& nest) {
    const std::optional<size_t> d = pair_in(*nest.buffer, nest.indices);
    if (!d) return false;
    nest.buffer = view(nest.buffer, *d);
    nest.indices = merged(nest.indices, *d);
    return true;
  }

  const Ref<SymVar> outer_, inner_;
  const Scalar width_, height_;
  const Ref<SymVar> both_;
  BufferViews& views_;
};

/// Returns the loop of the dimension before that of the columns, when collapsing may help.
std::optional<size_t> upper_loop(const Contraction& c, int64_t lanes) {
  const int64_t* width = find_int(c.extent(c.column));
  if (!width || c.is_left_vector || c.panels || !is_multiply_add(c)) return std::nullopt;
  for (size_t i : c.outer) {
    const int64_t* height = find_int(c.extent(i));
    if (!height || *height < 2 || uses(c.left, *c.loop(i))) continue;
    for (size_t d = 0; d + 1 < c.nest.indices.size(); ++d)
      if (c.nest.indices[d].get() == c.loop(i).get() && c.nest.indices[d + 1].get() == c.loop(c.column).get())
        return filled(*width * *height, lanes) > kWorthIt * filled(*width, lanes) ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

/// Returns the loop of the dimension before that of the rows, when these are the same in all of the left operand. As
/// many as a run says are not put together with rows of a known number.
std::optional<size_t> upper_row_loop(const Contraction& c) {
  if (!c.row || c.is_left_vector) return std::nullopt;
  for (size_t i : c.outer) {
    const int64_t* height = find_int(c.extent(i));
    if ((height ? *height < 2 : find_int(c.extent(*c.row)) != nullptr) || uses(c.right, *c.loop(i))) continue;
    for (size_t d = 0; d + 1 < c.nest.indices.size(); ++d)
      if (c.nest.indices[d].get() == c.loop(i).get() && c.nest.indices[d + 1].get() == c.loop(*c.row).get()) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Contraction> collapse_columns(const Contraction& c, int64_t lanes, BufferViews& views) {
  const std::optional<size_t> upper = upper_loop(c, lanes);
  if (!upper) return std::nullopt;
  Collapser collapser(c, *upper, c.column, views);
  Contraction out = c;
  const int64_t width = c.known_extent(c.column), count = width * c.known_extent(*upper);
  out.right = collapser.scalar(c.right);
  const bool loses_contiguity = is_contiguous(c.right, c.loop(c.column)) && !is_contiguous(out.right, collapser.both());
  if (loses_contiguity && filled(count, lanes) < kWorthPacking * filled(width, lanes)) return std::nullopt;
  return collapser.results(out, *upper, c.column) ? std::optional(out) : std::nullopt;
}

std::optional<Contraction> collapse_rows(const Contraction& c, BufferViews& views) {
  const std::optional<size_t> upper = upper_row_loop(c);
  if (!upper) return std::nullopt;
  Collapser collapser(c, *upper, *c.row, views);
  Contraction out = c;
  out.left = collapser.scalar(c.left);
  return collapser.results(out, *upper, *c.row) ? std::optional(out) : std::nullopt;
}

bool has_plain_rows(const Contraction& c) {
  bool plain = true;
  visit_all(c.left, [&](const Scalar& s) {
    const auto* n = find<Binary>(s);
    if (n && (n->op == BinaryOp::FloorDiv || n->op == BinaryOp::FloorMod))
      plain = plain && !uses(n->a, *c.loop(*c.row));
  });
  return plain;
}

}  // namespace sunmao
