#include "passes/schedule/contraction/panels.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/schedule/contraction/dots.h"
#include "passes/schedule/contraction/step.h"

namespace sunmao {
namespace {

constexpr int64_t kPanelColumns = 16;

/// Returns the contraction that alone reads the weight; nullopt when there is none.
std::optional<Contraction> only_reader(const PrimFunc& kernel, const Buffer& weight) {
  const std::optional<RootBody> root = read_root(kernel);
  std::optional<Contraction> reader;
  for (size_t i = 0; root && i < root->stmts.size(); ++i) {
    const int loads = count_loads(root->stmts[i], weight);
    if (loads == 0) continue;
    if (loads > 1 || reader) return std::nullopt;
    reader = read_contraction(root->stmts[i], i > 0 ? root->stmts[i - 1] : Stmt());
    if (!reader) return std::nullopt;
  }
  return reader;
}

/// How the indices of a weight follow from the loops of a contraction.
struct WeightAxes {
  std::vector<int64_t> sizes;
  size_t column = 0;           // the axis whose index is the loop of the columns
  int64_t group = 0;           // the columns of a group; 0 without groups
  std::vector<size_t> others;  // those that no step moves, then those of the steps
  size_t first_step = 0;       // in `others`
  int64_t bundle = 1;          // iterations of the last step that lie side by side for each column

  /// The size of the axis `others[i]` and the index along it, in bundles.
  int64_t size(size_t i) const { return sizes[others[i]] / (is_bundled(i) ? bundle : 1); }
  Scalar index(const std::vector<Scalar>& at, size_t i) const {
    const Scalar number = as_index(at[others[i]]);
    return is_bundled(i) ? floor_div(number, int_imm(bundle)) : number;
  }
  /// Returns the place of an element in a row of bundles, of which it is in the one of number `number`.
  Scalar in_bundle(const std::vector<Scalar>& at, const Scalar& number) const {
    if (bundle == 1) return number;
    return number * int_imm(bundle) + floor_mod(as_index(at[others.back()]), int_imm(bundle));
  }

 private:
  bool is_bundled(size_t i) const { return bundle > 1 && i + 1 == others.size(); }
};

/// Returns the columns of a group when the index is group * width + column, and goes over an axis of this size; else 0.
int64_t group_width(const Contraction& c, const Scalar& index, int64_t size) {
  const auto* sum = find<Binary>(index);
  const auto* product = sum && sum->op == BinaryOp::Add ? find<Binary>(sum->a) : nullptr;
  if (!product || product->op != BinaryOp::Mul || sum->b.get() != c.loop(c.column).get()) return 0;
  const int64_t *width = find_int(product->b), extent = c.known_extent(c.column);
  const auto is_group = [&](size_t i) {
    return product->a.get() == c.loop(i).get() && c.known_extent(i) * extent == size;
  };
  return width && *width == extent && std::ranges::any_of(c.outer, is_group) ? extent : 0;
}

/// Returns the columns of a panel, of which groups are made; 0 where no panels fit.
int64_t panel_in_group(int64_t group) {
  constexpr int64_t kFewest = 9, kWhole = 64;  // columns: narrower groups are lanes
  if (group % kPanelColumns == 0) return kPanelColumns;
  return group >= kFewest && group <= kWhole ? group : 0;
}

std::optional<WeightAxes> read_axes(const Contraction& c, const BufferLoad& load) {
  WeightAxes out;
  const std::optional<size_t> bundled = find_bundled_loop(c);
  std::optional<size_t> column, last;
  std::vector<size_t> of_steps;
  for (size_t d = 0; d < load.indices.size(); ++d) {
    const int64_t* size = find_int(load.buffer->shape[d]);
    if (!size || *size < 1) return std::nullopt;
    out.sizes.push_back(*size);
    const Scalar& index = load.indices[d];
    if (index.get() == c.loop(c.column).get() && find_int(c.extent(c.column)) && *find_int(c.extent(c.column)) == *size)
      column = d;
    else if (const int64_t group = group_width(c, index, *size))
      column = d, out.group = group;
    else if (uses(index, *c.loop(c.column)))
      return std::nullopt;
    else if (bundled && index.get() == c.loop(*bundled).get() && *size == c.known_extent(*bundled))
      last = d;
    else if (std::ranges::any_of(c.steps, [&](size_t step) { return uses(index, *c.loop(step)); }))
      of_steps.push_back(d);
    else
      out.others.push_back(d);
  }
  if (last) of_steps.push_back(*last);
  if (!column || of_steps.empty() || last.has_value() != bundled.has_value()) return std::nullopt;
  out.bundle = bundled ? bundle_size(c) : 1;
  out.column = *column;
  out.first_step = out.others.size();
  out.others.insert(out.others.end(), of_steps.begin(), of_steps.end());
  return out;
}

/// Panels of which the last one has its true width.
WeightLayout narrowing_panels(const WeightAxes& axes) {
  const int64_t columns = axes.sizes[axes.column];
  int64_t steps = 1, all = columns * axes.bundle;
  for (size_t i = 0; i < axes.others.size(); ++i) {
    all *= axes.size(i);
    if (i >= axes.first_step) steps *= axes.size(i);
  }
  const auto place = [=](const std::vector<Scalar>& at) -> std::vector<Scalar> {
    Scalar outside = int_imm(0), step = int_imm(0);
    for (size_t i = 0; i < axes.others.size(); ++i) {
      Scalar& number = i < axes.first_step ? outside : step;
      number = sum(product(number, int_imm(axes.size(i))), axes.index(at, i));
    }
    const Scalar width = int_imm(kPanelColumns), column = as_index(at[axes.column]), panel = floor_div(column, width);
    const Scalar count = Binary::make(BinaryOp::Min, width, int_imm(columns) - panel * width);
    return {axes.in_bundle(at, sum(product(outside, int_imm(steps * columns)),
                                   panel * int_imm(kPanelColumns * steps) + step * count + floor_mod(column, width)))};
  };
  return {{int_imm(all)}, place};
}

WeightLayout layout_of(const WeightAxes& axes) {
  const int64_t columns = axes.sizes[axes.column];
  const int64_t panel = axes.group > 0 ? panel_in_group(axes.group) : kPanelColumns;
  const bool has_panels = columns > panel;
  if (has_panels && columns % panel != 0) return narrowing_panels(axes);
  WeightLayout out;
  for (size_t i = 0; i < axes.others.size(); ++i) {
    if (has_panels && i == axes.first_step) out.shape.push_back(int_imm(columns / panel));
    out.shape.push_back(int_imm(axes.size(i)));
  }
  out.shape.push_back(int_imm(std::min(columns, panel) * axes.bundle));
  out.place = [=](const std::vector<Scalar>& at) {
    const Scalar width = int_imm(panel), column = as_index(at[axes.column]);
    std::vector<Scalar> place;
    for (size_t i = 0; i < axes.others.size(); ++i) {
      if (has_panels && i == axes.first_step) place.push_back(floor_div(column, width));
      place.push_back(axes.index(at, i));
    }
    place.push_back(axes.in_bundle(at, has_panels ? floor_mod(column, width) : column));
    return place;
  };
  return out;
}

/// Returns the layout of a weight whose dot products with the other operand run along a step of that: this step is the
/// last dimension.
std::optional<WeightLayout> dot_layout(const Contraction& c, const Buffer& weight) {
  const auto* right = find<BufferLoad>(c.right);
  const bool is_right = right && right->buffer.get() == &weight;
  const auto* load = is_right ? right : find<BufferLoad>(c.left);
  const std::optional<size_t> step = are_dots(c) ? find_dot_step(c, is_right ? c.left : c.right) : std::nullopt;
  if (!step || !load || load->buffer.get() != &weight || (!is_right && is_contiguous(c.right, c.loop(c.column))))
    return std::nullopt;
  if (is_right && (!find_int(c.extent(c.column)) || *find_int(c.extent(c.column)) > kFewColumns)) return std::nullopt;
  std::vector<size_t> order;
  std::optional<size_t> last;
  for (size_t d = 0; d < load->indices.size(); ++d) {
    const int64_t* size = find_int(weight.shape[d]);
    if (!size || *size < 1) return std::nullopt;
    if (load->indices[d].get() == c.loop(*step).get())
      last = d;
    else if (uses(load->indices[d], *c.loop(*step)))
      return std::nullopt;
    else if (*size > 1)
      order.push_back(d);
  }
  if (!last || *last + 1 == load->indices.size()) return std::nullopt;
  order.push_back(*last);
  WeightLayout out;
  for (size_t d : order) out.shape.push_back(weight.shape[d]);
  out.place = [order](const std::vector<Scalar>& at) {
    std::vector<Scalar> place;
    for (size_t d : order) place.push_back(as_index(at[d]));
    return place;
  };
  return out;
}

/// Returns the load of the weight in the right operand, which may be widened or dequantised; null where there is none.
const BufferLoad* load_of(const Contraction& c, const Buffer& weight) {
  const bool is_widened = c.nest.buffer->dtype.is_float() || find_bundled_loop(c);
  const auto* widened = is_widened ? find<Cast>(c.right) : nullptr;
  const BufferLoad* load = find<BufferLoad>(widened ? widened->value : c.right);
  if (is_computed(c.right))
    for_each_load(c.right, [&](const BufferLoad& l) { load = l.buffer.get() == &weight ? &l : load; });
  return load && load->buffer.get() == &weight ? load : nullptr;
}

}  // namespace

std::optional<WeightLayout> wanted_layout(const PrimFunc& kernel, const Buffer& weight) {
  constexpr int64_t kWorthPanels = 4;
  const std::optional<Contraction> c = only_reader(kernel, weight);
  if (!c || !weight.is_dense()) return std::nullopt;
  if (std::optional<WeightLayout> rows_of_steps = dot_layout(*c, weight)) return rows_of_steps;
  const BufferLoad* load = load_of(*c, weight);
  if (c->is_left_vector || c->panels || !is_multiply_add(*c) || !load) return std::nullopt;
  const std::optional<WeightAxes> axes = read_axes(*c, *load);
  if (!axes || axes->sizes[axes->column] < kWorthPanels) return std::nullopt;
  if (axes->group > 0 && panel_in_group(axes->group) == 0) return std::nullopt;
  const bool is_a_panel =
      axes->bundle == 1 && axes->sizes[axes->column] <= kPanelColumns && is_contiguous(c->right, c->loop(c->column));
  return is_a_panel ? std::nullopt : std::optional(layout_of(*axes));
}

}  // namespace sunmao
