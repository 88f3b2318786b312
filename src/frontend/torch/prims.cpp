// Converters of PyTorch's prims, which are what its decompositions end in.
#include <algorithm>
#include <array>

#include "frontend/shapes.h"
#include "frontend/torch/converters.h"
#include "frontend/torch/indexed.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr const char* kReshaped = "`R.reshape`";

// Prims that take what an overload of `aten` takes, under the same names.
struct Twin {
  const char* prim;
  const char* aten;
};
constexpr std::array kTwins{Twin{"prims.abs.default", "aten.abs.default"},
                            Twin{"prims.acos.default", "aten.acos.default"},
                            Twin{"prims.acosh.default", "aten.acosh.default"},
                            Twin{"prims.add.default", "aten.add.Tensor"},
                            Twin{"prims.as_strided.default", "aten.as_strided.default"},
                            Twin{"prims.as_strided_scatter.default", "aten.as_strided_scatter.default"},
                            Twin{"prims.asin.default", "aten.asin.default"},
                            Twin{"prims.asinh.default", "aten.asinh.default"},
                            Twin{"prims.atan.default", "aten.atan.default"},
                            Twin{"prims.atan2.default", "aten.atan2.default"},
                            Twin{"prims.atanh.default", "aten.atanh.default"},
                            Twin{"prims.bessel_i0.default", "aten.i0.default"},
                            Twin{"prims.bessel_i0e.default", "aten.special_i0e.default"},
                            Twin{"prims.bessel_i1.default", "aten.special_i1.default"},
                            Twin{"prims.bessel_i1e.default", "aten.special_i1e.default"},
                            Twin{"prims.bitwise_and.default", "aten.bitwise_and.Tensor"},
                            Twin{"prims.bitwise_not.default", "aten.bitwise_not.default"},
                            Twin{"prims.bitwise_or.default", "aten.bitwise_or.Tensor"},
                            Twin{"prims.bitwise_xor.default", "aten.bitwise_xor.Tensor"},
                            Twin{"prims.cat.default", "aten.cat.default"},
                            Twin{"prims.ceil.default", "aten.ceil.default"},
                            Twin{"prims.clone.default", "aten.clone.default"},
                            Twin{"prims.conj_physical.default", "aten.conj_physical.default"},
                            Twin{"prims.cos.default", "aten.cos.default"},
                            Twin{"prims.cosh.default", "aten.cosh.default"},
                            Twin{"prims.digamma.default", "aten.digamma.default"},
                            Twin{"prims.div.default", "aten.div.Tensor"},
                            Twin{"prims.eq.default", "aten.eq.Tensor"},
                            Twin{"prims.erf.default", "aten.erf.default"},
                            Twin{"prims.erf_inv.default", "aten.erfinv.default"},
                            Twin{"prims.erfc.default", "aten.erfc.default"},
                            Twin{"prims.erfcx.default", "aten.special_erfcx.default"},
                            Twin{"prims.exp.default", "aten.exp.default"},
                            Twin{"prims.exp2.default", "aten.exp2.default"},
                            Twin{"prims.expm1.default", "aten.expm1.default"},
                            Twin{"prims.fill.default", "aten.fill.Scalar"},
                            Twin{"prims.floor.default", "aten.floor.default"},
                            Twin{"prims.fmax.default", "aten.fmax.default"},
                            Twin{"prims.fmin.default", "aten.fmin.default"},
                            Twin{"prims.fmod.default", "aten.fmod.Tensor"},
                            Twin{"prims.frexp.default", "aten.frexp.Tensor"},
                            Twin{"prims.gcd.default", "aten.gcd.default"},
                            Twin{"prims.ge.default", "aten.ge.Tensor"},
                            Twin{"prims.gt.default", "aten.gt.Tensor"},
                            Twin{"prims.hypot.default", "aten.hypot.default"},
                            Twin{"prims.igamma.default", "aten.igamma.default"},
                            Twin{"prims.igammac.default", "aten.igammac.default"},
                            Twin{"prims.imag.default", "aten.imag.default"},
                            Twin{"prims.isfinite.default", "aten.isfinite.default"},
                            Twin{"prims.le.default", "aten.le.Tensor"},
                            Twin{"prims.lgamma.default", "aten.lgamma.default"},
                            Twin{"prims.log.default", "aten.log.default"},
                            Twin{"prims.log10.default", "aten.log10.default"},
                            Twin{"prims.log1p.default", "aten.log1p.default"},
                            Twin{"prims.log2.default", "aten.log2.default"},
                            Twin{"prims.lt.default", "aten.lt.Tensor"},
                            Twin{"prims.maximum.default", "aten.maximum.default"},
                            Twin{"prims.minimum.default", "aten.minimum.default"},
                            Twin{"prims.mul.default", "aten.mul.Tensor"},
                            Twin{"prims.ndtri.default", "aten.special_ndtri.default"},
                            Twin{"prims.ne.default", "aten.ne.Tensor"},
                            Twin{"prims.neg.default", "aten.neg.default"},
                            Twin{"prims.nextafter.default", "aten.nextafter.default"},
                            Twin{"prims.real.default", "aten.real.default"},
                            Twin{"prims.reciprocal.default", "aten.reciprocal.default"},
                            Twin{"prims.remainder.default", "aten.remainder.Tensor"},
                            Twin{"prims.round.default", "aten.round.default"},
                            Twin{"prims.rsqrt.default", "aten.rsqrt.default"},
                            Twin{"prims.scalar_tensor.default", "aten.scalar_tensor.default"},
                            Twin{"prims.shift_left.default", "aten.bitwise_left_shift.Tensor"},
                            Twin{"prims.shift_right_arithmetic.default", "aten.bitwise_right_shift.Tensor"},
                            Twin{"prims.sign.default", "aten.sign.default"},
                            Twin{"prims.sin.default", "aten.sin.default"},
                            Twin{"prims.sinh.default", "aten.sinh.default"},
                            Twin{"prims.spherical_bessel_j0.default", "aten.special_spherical_bessel_j0.default"},
                            Twin{"prims.sqrt.default", "aten.sqrt.default"},
                            Twin{"prims.sub.default", "aten.sub.Tensor"},
                            Twin{"prims.svd.default", "aten.linalg_svd.default"},
                            Twin{"prims.tan.default", "aten.tan.default"},
                            Twin{"prims.tanh.default", "aten.tanh.default"},
                            Twin{"prims.trunc.default", "aten.trunc.default"},
                            Twin{"prims.zeta.default", "aten.special_zeta.default"}};

Results prim_convert_element_type(const NodeContext& n) {
  return converted(n.builder, n.tensor("a"), n.dtype("dtype").value_or(n.recorded_dtype()), n.span);
}
Results prim_itself(const NodeContext& n) { return n.tensor("a"); }
Expr prim_written_itself(const NodeContext&, const Expr&, const Expr& part) { return part; }

Expr prim_reshaped_back(const NodeContext& n, const Expr& self, const Expr& part) {
  return reshaped(n.builder, part, n.dims(self), n.span);
}
Results prim_reshape(const NodeContext& n) { return reshaped(n.builder, n.tensor("a"), n.sizes("shape"), n.span); }
/// Merges the axes from `start` to `end`, both included.
Results prim_collapse(const NodeContext& n) {
  Expr x = n.tensor("a");
  const int64_t rank = n.rank(x), start = n.integer("start"), end = n.integer("end");
  if (rank == 0) return reshaped(n.builder, x, {int_imm(1)}, n.span);
  if (start < 0 || start > end || end >= rank) n.malformed("end");
  return flattened(n.builder, x, static_cast<size_t>(start), static_cast<size_t>(end), n.span);
}
Results prim_split_dim(const NodeContext& n) {
  Expr x = n.tensor("a");
  std::vector<Scalar> shape = n.dims(x);
  const int64_t axis = n.integer("dim");
  if (axis < 0 || axis >= n.rank(x)) n.malformed("dim");
  const auto place = shape.begin() + axis;
  const std::vector<Scalar> parts =
      resolve_shape(n.builder, {*place}, {n.size("outer_length"), int_imm(-1)}, "E0704", n.span);
  shape.insert(shape.erase(place), parts.begin(), parts.end());
  return reshaped(n.builder, x, std::move(shape), n.span);
}
Results prim_squeeze(const NodeContext& n) {
  return without_axes(n.builder, n.tensor("a"), n.integers("dimensions").value_or(std::vector<int64_t>()), n.span);
}

std::vector<int64_t> prim_permutation(const NodeContext& n, size_t rank) {
  std::vector<int64_t> axes = n.integers("permutation").value_or(std::vector<int64_t>());
  std::vector<bool> is_seen(rank, false);
  for (int64_t a : axes) {
    if (a < 0 || static_cast<size_t>(a) >= rank || is_seen[static_cast<size_t>(a)]) n.malformed("permutation");
    is_seen[static_cast<size_t>(a)] = true;
  }
  if (axes.size() != rank) n.malformed("permutation");
  return axes;
}
Results prim_transpose(const NodeContext& n) {
  Expr x = n.tensor("a");
  return permuted(n.builder, x, prim_permutation(n, n.dims(x).size()), n.span);
}
Expr prim_transposed_back(const NodeContext& n, const Expr&, const Expr& part) {
  return permuted(n.builder, part, inverse(prim_permutation(n, n.dims(part).size())), n.span);
}

/// Places the axes of the tensor at axes of the result; it is repeated along the others.
Results prim_broadcast_in_dim(const NodeContext& n) {
  Expr x = n.tensor("a");
  const std::vector<Scalar> shape = n.sizes("shape");
  const std::vector<int64_t> axes = n.integers("broadcast_dimensions").value_or(std::vector<int64_t>());
  if (axes.size() != n.dims(x).size() || !std::ranges::is_sorted(axes)) n.malformed("broadcast_dimensions");
  std::vector<int64_t> added;
  for (size_t i = 0; i < shape.size(); ++i)
    if (std::ranges::find(axes, static_cast<int64_t>(i)) == axes.end()) added.push_back(static_cast<int64_t>(i));
  if (added.size() + axes.size() != shape.size()) n.malformed("broadcast_dimensions");
  return broadcast(n.builder, with_axes(n.builder, x, added, n.span), shape, n.span);
}

Results prim_reverse(const NodeContext& n) {
  Expr x = n.tensor("a");
  for (int64_t axis : n.integers("dims").value_or(std::vector<int64_t>())) x = n.call("flip", {x}, {{"axis", axis}});
  return x;
}

/// Both sides may be numbers.
Results prim_where(const NodeContext& n) {
  const std::array<Operand, 2> sides{operand(n, "a"), operand(n, "b")};
  const DType dtype = result_dtype(sides);
  return n.call("where", {n.tensor("pred"), tensor_of(n, sides[0], dtype), tensor_of(n, sides[1], dtype)});
}

Expr prim_filled(const NodeContext& n, std::vector<Scalar> shape, const Operand& value) {
  const DType dtype = n.dtype("dtype").value_or(n.recorded_dtype());
  return n.call("full", {ShapeExpr::make(std::move(shape)), tensor_of(n, value, dtype)}, {{"dtype", dtype}});
}
Results prim_full(const NodeContext& n) { return prim_filled(n, n.sizes("shape"), operand(n, "fill_value")); }
Results prim_full_like(const NodeContext& n) { return prim_filled(n, n.dims(n.tensor("a")), operand(n, "fill_value")); }
/// Memory that nothing has written yet becomes zeros.
Results prim_empty(const NodeContext& n) { return prim_filled(n, n.sizes("shape"), {nullptr, {0, true}, true}); }
Results prim_iota(const NodeContext& n) {
  const Scalar length = n.size("length"), start = n.size("start"), step = n.size("step");
  return n.call(
      "arange",
      {scalar_operand(start), scalar_operand(n.builder.simplify(start + length * step)), scalar_operand(step)},
      {{"dtype", n.dtype("dtype").value_or(n.recorded_dtype())}});
}

AttrMap prim_reduced_axes(const NodeContext& n) {
  std::optional<std::vector<int64_t>> axes = n.integers("dims");
  return axes && !axes->empty() ? AttrMap{{"axis", AttrValue::ints(*axes)}} : AttrMap{};
}
Expr prim_summand(const NodeContext& n) {
  Expr x = n.tensor("inp");
  return converted(n.builder, x, n.dtype("output_dtype").value_or(n.recorded_dtype()), n.span);
}
template <OpName op>
Results prim_reduced(const NodeContext& n) {
  return n.call(op.text, {prim_summand(n)}, prim_reduced_axes(n));
}
/// Converts the variance, times count / (count - correction).
Results prim_variance(const NodeContext& n) {
  Expr x = n.tensor("inp"), wide = widened(n, x);
  const std::vector<Scalar>& dims = n.dims(x);
  const std::vector<int64_t> axes = n.integers("dims").value_or(std::vector<int64_t>());
  Scalar count = axes.empty() ? product(n.builder, dims) : int_imm(1);
  for (int64_t axis : axes)
    count = n.builder.simplify(count * dims[static_cast<size_t>(from_front(axis, n.rank(x), "E0704", n.span))]);
  const DType t = dtype_of(wide);
  Expr number = converted(n.builder, sunmao::tensor_of(n.builder, {count}, false, n.span), t, n.span);
  Expr rest =
      n.call("maximum", {n.call("subtract", {number, n.constant(t, n.real("correction", 1.0))}), n.constant(t, 0)});
  Expr value = n.call("multiply", {n.call("variance", {wide}, prim_reduced_axes(n)), n.call("divide", {number, rest})});
  return converted(n.builder, value, n.recorded_dtype(), n.span);
}

/// The cube root of the magnitude, with the sign of the number.
Results prim_cube_root(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x);
  Expr root = n.call("power", {n.call("abs", {wide}), n.constant(dtype_of(wide), 1.0 / 3)});
  return converted(n.builder, n.call("copysign", {root, wide}), dtype_of(x), n.span);
}

}  // namespace

std::string_view twin_of_prim(std::string_view target) {
  const auto* found = std::ranges::find(kTwins, target, [](const Twin& t) { return std::string_view(t.prim); });
  return found == kTwins.end() ? std::string_view() : found->aten;
}

std::vector<Converter> prims_converters(const std::vector<Converter>& aten) {
  std::vector<Converter> rows;
  for (const Twin& twin : kTwins) {
    const auto found = std::ranges::find(aten, std::string_view(twin.aten), &Converter::target);
    Converter row = *found;
    row.target = twin.prim;
    rows.push_back(row);
  }
  auto view = [&](const char* target, Convert convert, const char* becomes, WriteBack back = nullptr) {
    rows.push_back({target, convert, becomes, "", Alias::View, back});
  };
  rows.push_back({"prims.pow.default", binary<"power">, "`R.power`"});
  rows.push_back({"prims.convert_element_type.default", prim_convert_element_type, "`R.astype`"});
  rows.push_back({"prims.device_put.default", prim_itself, "the input itself"});
  rows.push_back({"prims.copy_strided.default", prim_itself, "the input itself"});
  view("prims.view_of.default", prim_itself, "the input itself", prim_written_itself);
  view("prims.collapse_view.default", prim_collapse, kReshaped, prim_reshaped_back);
  rows.push_back({"prims.collapse.default", prim_collapse, kReshaped});
  rows.push_back({"prims.reshape.default", prim_reshape, kReshaped});
  view("prims.split_dim.default", prim_split_dim, kReshaped, prim_reshaped_back);
  view("prims.squeeze.default", prim_squeeze, "`R.squeeze`", prim_reshaped_back);
  view("prims.transpose.default", prim_transpose, "`R.permute_dims`", prim_transposed_back);
  view("prims.broadcast_in_dim.default", prim_broadcast_in_dim, "`R.broadcast_to`");
  rows.push_back({"prims.rev.default", prim_reverse, "`R.flip`"});
  rows.push_back({"prims.where.default", prim_where, "`R.where`"});
  rows.push_back({"prims.full.default", prim_full, "`R.full`"});
  rows.push_back({"prims.full_like.default", prim_full_like, "`R.full`"});
  for (const char* target : {"prims.empty.default", "prims.empty_strided.default", "prims.empty_permuted.default"})
    rows.push_back({target, prim_empty, "`R.full`"});
  rows.push_back({"prims.iota.default", prim_iota, "`R.arange`"});
  rows.push_back({"prims.sum.default", prim_reduced<"sum">, "`R.sum`"});
  rows.push_back({"prims.prod.default", prim_reduced<"prod">, "`R.prod`"});
  rows.push_back({"prims.amax.default", prim_reduced<"max">, "`R.max`"});
  rows.push_back({"prims.amin.default", prim_reduced<"min">, "`R.min`"});
  rows.push_back({"prims.var.default", prim_variance, "`R.variance`, corrected by `R.multiply`"});
  rows.push_back({"prims.cbrt.default", prim_cube_root, "`R.power` and `R.copysign`"});
  return rows;
}

}  // namespace sunmao::torch
