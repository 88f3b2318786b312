// Converters of views that are given by strides: elements of a tensor's memory at any distance from each other.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/indexed.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

bool are_equal(const NodeContext& n, const Scalar& a, const Scalar& b) {
  return n.builder.can_prove(Binary::make(BinaryOp::Eq, a, b));
}
bool is_number(const Scalar& s, int64_t value) { return find_int(s) && *find_int(s) == value; }

/// Returns the axes by the distance of their elements, farthest first, without those that have one element only; none
/// unless these lie behind each other without gaps. Axes in order may have sizes that only a run knows.
std::optional<std::vector<int64_t>> dense_order(const NodeContext& n, const std::vector<Scalar>& sizes,
                                                const std::vector<Scalar>& strides) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!is_number(sizes[i], 1)) axes.push_back(static_cast<int64_t>(i));
  if (std::ranges::all_of(axes, [&](int64_t a) { return find_int(strides[static_cast<size_t>(a)]); }))
    std::ranges::stable_sort(axes, std::greater(),
                             [&](int64_t a) { return *find_int(strides[static_cast<size_t>(a)]); });
  Scalar step = int_imm(1);
  for (size_t i = axes.size(); i-- > 0;) {
    const auto axis = static_cast<size_t>(axes[i]);
    if (!are_equal(n, strides[axis], step)) return std::nullopt;
    step = n.builder.simplify(step * sizes[axis]);
  }
  return axes;
}

/// Completes an order of some axes by the others, at the front.
std::vector<int64_t> with_others(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < rank; ++i)
    if (std::ranges::find(axes, static_cast<int64_t>(i)) == axes.end()) out.push_back(static_cast<int64_t>(i));
  out.insert(out.end(), axes.begin(), axes.end());
  return out;
}
std::vector<Scalar> picked(const std::vector<Scalar>& from, const std::vector<int64_t>& axes) {
  std::vector<Scalar> out;
  for (int64_t a : axes) out.push_back(from[static_cast<size_t>(a)]);
  return out;
}

/// The view that a node asks for, of the memory that the exporter recorded for the tensor.
class StridedView {
 public:
  explicit StridedView(const NodeContext& n)
      : n_(n), name_(n.has_tensor("a") ? "a" : "self"), self_(n.tensor(name_)), sizes_(n.sizes("size")),
        strides_(n.sizes("stride")) {
    const auto is_negative = [](const Scalar& s) { return find_int(s) && *find_int(s) < 0; };
    if (std::ranges::any_of(sizes_, is_negative)) n.malformed("size");
    if (sizes_.size() != strides_.size() || std::ranges::any_of(strides_, is_negative)) n.malformed("stride");
    const NodeContext::Layout layout = n.layout(name_);
    const std::vector<Scalar>& dims = n.dims(self_);
    const std::optional<std::vector<int64_t>> order =
        layout.strides.size() == dims.size() ? dense_order(n, dims, layout.strides) : std::nullopt;
    if (!order) throw UnsupportedUse{"of a tensor whose elements have gaps between them"};
    order_ = with_others(*order, dims.size());
    offset_ = n.has("storage_offset") ? n.builder.simplify(n.size("storage_offset") - layout.offset) : int_imm(0);
    check_ends();
  }

  Expr read(const Expr& self) const {
    if (is_all_of_self()) return self;
    const Expr memory = memory_of(self);
    if (const auto order = dense_order(n_, kept_sizes(), kept_strides())) {
      const std::vector<int64_t> axes = with_others(*order, kept_sizes().size());
      const Expr part = sliced(n_.builder, memory, {{0, offset_, n_.builder.simplify(offset_ + count())}}, n_.span);
      const Expr whole = reshaped(n_.builder, part, picked(kept_sizes(), axes), n_.span);
      return broadcast(
          n_.builder,
          with_axes(n_.builder, permuted(n_.builder, whole, inverse(axes), n_.span), repeated_axes(), n_.span), sizes_,
          n_.span);
    }
    return n_.call("take", {memory, places()}, {{"axis", 0}});
  }

  Expr write(const Expr& self, const Expr& part) const {
    if (is_all_of_self()) return part;
    const std::vector<Scalar> flat{product(n_.builder, sizes_)};
    const Expr memory = n_.call(
        "scatter_elements",
        {memory_of(self), reshaped(n_.builder, places(), flat, n_.span), reshaped(n_.builder, part, flat, n_.span)},
        {{"axis", 0}, {"from_end", false}});
    const Expr ordered = reshaped(n_.builder, memory, picked(n_.dims(self), order_), n_.span);
    return permuted(n_.builder, ordered, inverse(order_), n_.span);
  }
  const Expr& self() const { return self_; }
  const std::vector<Scalar>& sizes() const { return sizes_; }

 private:
  Expr memory_of(const Expr& self) const {
    return reshaped(n_.builder, permuted(n_.builder, self, order_, n_.span), {product(n_.builder, n_.dims(self))},
                    n_.span);
  }
  bool is_all_of_self() const {
    const std::vector<Scalar>& dims = n_.dims(self_);
    const std::vector<Scalar> own = n_.layout(name_).strides;
    bool is_same = dims.size() == sizes_.size() && is_number(offset_, 0);
    for (size_t i = 0; is_same && i < dims.size(); ++i)
      is_same = are_equal(n_, dims[i], sizes_[i]) && (is_number(dims[i], 1) || are_equal(n_, own[i], strides_[i]));
    return is_same;
  }
  /// Refuses what is known to begin before the tensor's first element or to end behind its last one.
  void check_ends() const {
    Scalar last = offset_;
    bool is_empty = false;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      last = last + (sizes_[i] - int_imm(1)) * strides_[i];
      is_empty = is_empty || is_number(sizes_[i], 0);
    }
    const Scalar is_beyond = Binary::make(BinaryOp::Ge, last, product(n_.builder, n_.dims(self_)));
    if (!is_empty &&
        (n_.builder.can_prove(Binary::make(BinaryOp::Lt, offset_, int_imm(0))) || n_.builder.can_prove(is_beyond)))
      throw UnsupportedUse{"of memory that the tensor shares with others"};
  }

  // Axes along which the same elements are repeated have strides of 0.
  bool is_repeated(size_t axis) const { return is_number(strides_[axis], 0); }
  std::vector<int64_t> repeated_axes() const {
    std::vector<int64_t> out;
    for (size_t i = 0; i < sizes_.size(); ++i)
      if (is_repeated(i)) out.push_back(static_cast<int64_t>(i));
    return out;
  }
  std::vector<Scalar> kept(const std::vector<Scalar>& of) const {
    std::vector<Scalar> out;
    for (size_t i = 0; i < of.size(); ++i)
      if (!is_repeated(i)) out.push_back(of[i]);
    return out;
  }
  std::vector<Scalar> kept_sizes() const { return kept(sizes_); }
  std::vector<Scalar> kept_strides() const { return kept(strides_); }
  Scalar count() const { return product(n_.builder, kept_sizes()); }

  /// Returns the place in memory of each element of the view.
  Expr places() const {
    const auto number = [&](const Scalar& s) { return sunmao::tensor_of(n_.builder, {s}, false, n_.span); };
    Expr sum = number(offset_);
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (is_number(sizes_[i], 1) || is_repeated(i)) continue;
      Expr steps =
          n_.call("arange", {scalar_operand(int_imm(0)), scalar_operand(sizes_[i]), scalar_operand(int_imm(1))},
                  {{"dtype", DType::int_(64)}});
      if (!is_number(strides_[i], 1)) steps = n_.call("multiply", {steps, number(strides_[i])});
      std::vector<Scalar> own(sizes_.size() - i, int_imm(1));
      own[0] = sizes_[i];
      sum = n_.call("add", {sum, reshaped(n_.builder, steps, own, n_.span)});
    }
    return broadcast(n_.builder, sum, sizes_, n_.span);
  }

  const NodeContext& n_;
  const std::string_view name_;
  const Expr self_;
  const std::vector<Scalar> sizes_, strides_;
  std::vector<int64_t> order_;  // of the axes of `self` in memory
  Scalar offset_;               // from the tensor's first element
};

Results as_strided(const NodeContext& n) {
  const StridedView view(n);
  return view.read(view.self());
}
Expr write_strided(const NodeContext& n, const Expr& self, const Expr& part) {
  return StridedView(n).write(self, part);
}
Results as_strided_scatter(const NodeContext& n) {
  const StridedView view(n);
  const Expr source = converted(n.builder, n.tensor("src"), dtype_of(view.self()), n.span);
  return view.write(view.self(), broadcast(n.builder, source, view.sizes(), n.span));
}

}  // namespace

std::vector<Converter> strided_converters() {
  const char *reads = "`R.take` of `R.reshape`, or `R.permute_dims` where strides are those of an order of axes",
             *limits = "the tensor's own elements must lie in memory without gaps";
  return {{"aten.as_strided.default", as_strided, reads, limits, Alias::View, write_strided},
          {"aten.as_strided_copy.default", as_strided, reads, limits},
          {"aten.as_strided_scatter.default", as_strided_scatter, "`R.scatter_elements` of `R.reshape`", limits}};
}

}  // namespace sunmao::torch
