// Converters of nodes that are given complex numbers, or give some.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "frontend/shapes.h"
#include "frontend/torch/complex_arithmetic.h"
#include "frontend/torch/promotion.h"
#include "frontend/torch/tensors.h"

namespace sunmao::torch {
namespace {

std::vector<Type> types_of_part(const NodeContext& n, size_t part) {
  std::vector<Type> out;
  for (size_t i = 0; i < n.output_count(); ++i) {
    const auto* parts = find<TupleType>(n.recorded(i));
    out.push_back(parts ? parts->fields.at(part) : n.recorded(i));
  }
  return out;
}

/// Real tensors are numbers whose imaginary part is 0, but for those that tell which elements are meant.
MappedScope scope_of_part(const NodeContext& n, size_t part) {
  std::vector<std::string_view> places;
  for (const char* argument : {"index", "indices", "condition", "pred"})
    std::ranges::copy(n.tensor_names(argument), std::back_inserter(places));
  return {n.scope(), [&n, part, places = std::move(places)](std::string_view name, const Expr& value) -> Expr {
            if (find<Tuple>(value)) return part == 0 ? complex_parts(value).re : complex_parts(value).im;
            const bool is_place = std::ranges::find(places, name) != places.end();
            return part == 1 && !is_place ? n.call("zeros_like", {value}) : value;
          }};
}

/// Converts an op that treats both parts alike: each by itself.
Results by_parts(const NodeContext& n) {
  const Converter& real = *find_converter(n.target);
  if (n.output_count() > 0 && find<TensorType>(n.recorded()))
    throw UnsupportedUse{"that gives real numbers of complex ones"};
  std::array<std::vector<Expr>, 2> values;
  for (size_t part = 0; part < 2; ++part) {
    MappedScope scope = scope_of_part(n, part);
    values[part] = real.convert(n.with(scope, types_of_part(n, part))).values;
  }
  const Expr self = n.has_tensor("self") ? n.tensor("self") : Expr();
  std::vector<Expr> out;
  for (size_t i = 0; i < values[0].size(); ++i) out.push_back(with_parts(self, {values[0][i], values[1].at(i)}));
  return Results(std::move(out));
}

Expr write_by_parts(const NodeContext& n, const Expr& self, const Expr& part) {
  const Converter& real = *find_converter(n.target);
  const Complex whole = complex_parts(self), written = complex_parts(part);
  if (!whole.im || !written.im) throw UnsupportedUse{"that writes real numbers through a view of complex ones"};
  std::array<Expr, 2> out;
  for (size_t i = 0; i < 2; ++i) {
    MappedScope scope = scope_of_part(n, i);
    const NodeContext one = n.with(scope, types_of_part(n, i));
    out[i] = real.write_back(one, i == 0 ? whole.re : whole.im, i == 0 ? written.re : written.im);
  }
  return Tuple::make({out[0], out[1]});
}

/// Converts an op that is linear in each of its complex operands: a sum over the choices of their parts.
Results multilinear(const NodeContext& n) {
  const Converter& real = *find_converter(n.target);
  std::vector<std::string_view> names;
  for (std::string_view name : n.tensor_names()) {
    if (!find<Tuple>(n.scope().tensor(name, n.span))) continue;
    if (std::ranges::find(names, name) != names.end()) throw UnsupportedUse{"of complex numbers with themselves"};
    names.push_back(name);
  }
  if (names.size() > 3) throw UnsupportedUse{"of more than 3 tensors of complex numbers"};
  Complex sum;
  for (size_t choice = 0; choice < size_t{1} << names.size(); ++choice) {
    size_t imaginary = 0;
    for (size_t i = 0; i < names.size(); ++i) imaginary += choice >> i & 1;
    MappedScope scope(n.scope(), [&](std::string_view name, const Expr& value) {
      const auto at = static_cast<size_t>(std::ranges::find(names, name) - names.begin());
      if (at == names.size()) return value;
      return choice >> at & 1 ? complex_parts(value).im : complex_parts(value).re;
    });
    const Expr term = real.convert(n.with(scope, types_of_part(n, 0))).values.at(0);
    Expr& part = imaginary % 2 == 0 ? sum.re : sum.im;
    part = part ? n.call(imaginary < 2 ? "add" : "subtract", {part, term}) : term;
  }
  return complex_of(n, sum);
}

Results sum_or_difference(const NodeContext& n, const char* op, const char* first, const char* second) {
  Complex b = complex_operand(n, second);
  const double alpha = n.number("alpha", PythonNumber{1, true}).value;
  b.re = scaled(n.builder, b.re, alpha, n.span);
  if (b.im) b.im = scaled(n.builder, b.im, alpha, n.span);
  return complex_of(n, sum_of(n, op, complex_operand(n, first), b));
}
Results complex_add(const NodeContext& n) { return sum_or_difference(n, "add", "self", "other"); }
Results complex_sub(const NodeContext& n) { return sum_or_difference(n, "subtract", "self", "other"); }
Results complex_rsub(const NodeContext& n) { return sum_or_difference(n, "subtract", "other", "self"); }
Results complex_mul(const NodeContext& n) {
  return complex_of(n, times(n, complex_operand(n, "self"), complex_operand(n, "other")));
}
Results complex_div(const NodeContext& n) {
  if (n.has("rounding_mode")) throw UnsupportedUse{"on complex numbers with a rounding mode"};
  return complex_of(n, over(n, complex_operand(n, "self"), complex_operand(n, "other")));
}
/// Returns the conjugates; real numbers as they are.
Expr conjugate(const NodeContext& n, const Expr& value) {
  const Complex z = complex_parts(value);
  return z.im ? Tuple::make({z.re, n.call("negative", {z.im})}) : value;
}
Results complex_conjugate(const NodeContext& n) { return conjugate(n, n.tensor("self")); }
Expr conjugate_back(const NodeContext& n, const Expr&, const Expr& part) { return conjugate(n, part); }

Results negative_view(const NodeContext& n) {
  if (find<Tuple>(n.tensor("self"))) throw UnsupportedUse{"of complex numbers"};
  return n.call("negative", {n.tensor("self")});
}
Expr negative_back(const NodeContext& n, const Expr&, const Expr& part) { return n.call("negative", {part}); }

/// The sum of conj(self) * other.
Results complex_dot(const NodeContext& n) {
  const Complex x = both_parts(n, "self"), y = both_parts(n, "other");
  const auto dot = [&](const Expr& a, const Expr& b) { return n.call("matmul", {a, b}); };
  return Tuple::make(
      {n.call("add", {dot(x.re, y.re), dot(x.im, y.im)}), n.call("subtract", {dot(x.re, y.im), dot(x.im, y.re)})});
}
Results complex_real(const NodeContext& n) { return complex_parts(n.tensor("self")).re; }
Results complex_imaginary(const NodeContext& n) { return both_parts(n, "self").im; }
Results as_real(const NodeContext& n) { return stacked(n.builder, n.tensor("self"), n.span); }
Results as_complex(const NodeContext& n) {
  const Expr self = n.tensor("self");
  if (find<Tuple>(self) || n.rank(self) == 0) n.malformed("self");
  return unstacked(n.builder, self, n.span);
}

Results joined_parts(const NodeContext& n) {
  if (find<Tuple>(n.tensor("real")) || find<Tuple>(n.tensor("imag"))) n.malformed("real");
  const std::vector<Expr> parts = promoted(n, {"real", "imag"});
  const Expr re = n.call("add", {parts[0], n.call("zeros_like", {parts[1]})});
  return Tuple::make({re, broadcast(n.builder, parts[1], n.dims(re), n.span)});
}
Results complex_polar(const NodeContext& n) {
  if (find<Tuple>(n.tensor("abs")) || find<Tuple>(n.tensor("angle"))) n.malformed("abs");
  const std::vector<Expr> given = promoted(n, {"abs", "angle"});
  return complex_of(n, polar_of(n, given[0], given[1]));
}

/// Converts between complex numbers, or between them and real ones.
Results complex_cast(const NodeContext& n) {
  const char* name = n.has_tensor("a") ? "a" : "self";  // of prims "a"
  const Complex z = complex_parts(n.tensor(name));
  const auto* real = find<TensorType>(n.recorded());
  if (real && real->dtype.is_bool() && z.im)
    return n.call("logical_or",
                  {converted(n.builder, z.re, real->dtype, n.span), converted(n.builder, z.im, real->dtype, n.span)});
  if (real) return converted(n.builder, z.re, real->dtype, n.span);
  const Complex out = complex_operand(n, name);
  if (z.im && out.re == z.re && out.im == z.im) return n.tensor(name);
  return complex_of(n, out);
}

Results complex_pad(const NodeContext& n) {
  const auto value = n.has("value") ? n.complex_number("value") : std::pair(0.0, 0.0);
  if (value != std::pair(0.0, 0.0)) throw UnsupportedUse{"on complex numbers with a value other than 0"};
  return by_parts(n);
}

Results complex_adjoint(const NodeContext& n) {
  const Complex z = complex_parts(by_parts(n).values.at(0));
  return Tuple::make({z.re, n.call("negative", {z.im})});
}

/// Converts an op that gives a tensor of one number.
Results complex_filled(const NodeContext& n) {
  const std::string_view kind = n.target;
  std::pair<double, double> value{1, 0};
  const bool is_scalar = kind.starts_with("aten.scalar_tensor");
  if (is_scalar || kind.find("full") != std::string_view::npos) {
    const auto given = n.complex_number(is_scalar ? "s" : "fill_value");
    if (!given) throw UnsupportedUse{"of complex numbers with a symbolic value"};
    value = *given;
  }
  const DType dtype = dtype_of_parts(n);
  const auto* parts = find<TupleType>(n.recorded());
  const auto part = [&](double number) {
    return n.call("full", {ShapeExpr::make(*find<TensorType>(parts->fields[0])->dims()), n.constant(dtype, number)},
                  {{"dtype", dtype}});
  };
  return Tuple::make({part(value.first), part(value.second)});
}

// Ops of `aten` that treat both parts alike.
constexpr std::string_view kByParts =
    "neg.default neg_.default where.self clone.default alias.default contiguous.default detach.default "
    "detach_.default lift_fresh_copy.default alias_copy.default detach_copy.default resolve_conj.default "
    "resolve_neg.default copy.default copy_.default zeros.default empty.memory_format zeros_like.default "
    "empty_like.default new_zeros.default new_empty.default zero_.default tril.default triu.default "
    "diagonal.default index.Tensor _unsafe_index.Tensor index_put.default index_put_.default index_select.default "
    "gather.default cat.default concat.default concatenate.default stack.default hstack.default vstack.default "
    "permute.default transpose.int swapaxes.default swapdims.default t.default numpy_T.default mT.default "
    "movedim.int movedim.intlist moveaxis.int moveaxis.intlist flip.default roll.default repeat.default "
    "unfold.default sum.default sum.dim_IntList mean.default mean.dim "
    "cumsum.default index_add.default view.default _unsafe_view.default reshape.default view_as.default "
    "reshape_as.default flatten.using_ints unflatten.int squeeze.default squeeze.dim squeeze.dims "
    "as_strided.default as_strided_copy.default as_strided_scatter.default diag.default diag_embed.default "
    "diagonal_copy.default linalg_diagonal.default trace.default tile.default rot90.default fliplr.default "
    "flipud.default ravel.default narrow_copy.default column_stack.default dstack.default row_stack.default "
    "atleast_1d.default atleast_2d.default atleast_3d.default broadcast_tensors.default meshgrid.default "
    "meshgrid.indexing cartesian_prod.default tensor_split.sections tensor_split.indices vsplit.int vsplit.array "
    "hsplit.int hsplit.array dsplit.int dsplit.array unsafe_split.Tensor unsafe_chunk.default "
    "unsafe_split_with_sizes.default split_with_sizes_copy.default split_copy.Tensor unbind_copy.int "
    "expand_copy.default "
    "permute_copy.default t_copy.default transpose_copy.int view_copy.default squeeze_copy.dim "
    "unsqueeze_copy.default slice_copy.Tensor select_copy.int unfold_copy.default diagonal_scatter.default "
    "index_copy.default scatter.src scatter_add.default take.default take_along_dim.default masked_scatter.default "
    "repeat_interleave.self_int positive.default negative.default diff.default block_diag.default "
    "empty_strided.default "
    "empty_permuted.default new_empty_strided.default channel_shuffle.default pixel_shuffle.default "
    "pixel_unshuffle.default "
    "unsqueeze.default expand.default broadcast_to.default expand_as.default slice.Tensor narrow.default "
    "select.int slice_scatter.default select_scatter.default unbind.int split.Tensor split.sizes "
    "split_with_sizes.default chunk.default fft_fftshift.default fft_ifftshift.default ";

// Prims that do so and are no other names of ops of `aten`.
constexpr std::string_view kPrimsByParts =
    "collapse_view.default collapse.default reshape.default split_dim.default squeeze.default transpose.default "
    "broadcast_in_dim.default rev.default where.default view_of.default copy_strided.default device_put.default "
    "sum.default ";

std::vector<std::string> targets_in(std::string_view names, const std::string& space) {
  std::vector<std::string> out;
  for (size_t end = names.find(' '); end != std::string_view::npos; end = names.find(' ')) {
    out.push_back(space + std::string(names.substr(0, end)));
    names.remove_prefix(end + 1);
  }
  return out;
}

std::vector<Converter> complex_forms() {
  std::vector<Converter> rows{{"aten.add.Tensor", complex_add, ""},
                              {"aten.add_.Tensor", complex_add, "", "", Alias::InPlace},
                              {"aten.add.Scalar", complex_add, ""},
                              {"aten.sub.Tensor", complex_sub, ""},
                              {"aten.sub_.Tensor", complex_sub, "", "", Alias::InPlace},
                              {"aten.sub.Scalar", complex_sub, ""},
                              {"aten.rsub.Scalar", complex_rsub, ""},
                              {"aten.rsub.Tensor", complex_rsub, ""},
                              {"aten.pad.default", complex_pad, ""},
                              {"aten.constant_pad_nd.default", complex_pad, ""},
                              {"aten.mH.default", complex_adjoint, "", "", Alias::View},
                              {"aten.adjoint.default", complex_adjoint, "", "", Alias::View},
                              {"aten.scalar_tensor.default", complex_filled, ""},
                              {"aten.mul.Tensor", complex_mul, ""},
                              {"aten.mul_.Tensor", complex_mul, "", "", Alias::InPlace},
                              {"aten.mul.Scalar", complex_mul, ""},
                              {"aten.multiply.Tensor", complex_mul, ""},
                              {"aten.div.Tensor", complex_div, ""},
                              {"aten.div_.Tensor", complex_div, "", "", Alias::InPlace},
                              {"aten.div.Scalar", complex_div, ""},
                              {"aten.conj.default", complex_conjugate, "", "", Alias::View, conjugate_back},
                              {"aten.conj_physical_.default", complex_conjugate, "", "", Alias::InPlace},
                              {"aten.vdot.default", complex_dot, ""},
                              {"aten.matrix_H.default", complex_adjoint, "", "", Alias::View},
                              {"aten.conj_physical.default", complex_conjugate, ""},
                              {"aten.mm.default", multilinear, ""},
                              {"aten.bmm.default", multilinear, ""},
                              {"aten.matmul.default", multilinear, ""},
                              {"aten.einsum.default", multilinear, ""},
                              {"aten.mv.default", multilinear, ""},
                              {"aten.dot.default", multilinear, ""},
                              {"aten.inner.default", multilinear, ""},
                              {"aten.outer.default", multilinear, ""},
                              {"aten.ger.default", multilinear, ""},
                              {"aten.kron.default", multilinear, ""},
                              {"aten.tensordot.default", multilinear, ""},
                              {"aten.linalg_matmul.default", multilinear, ""},
                              {"aten.linalg_multi_dot.default", multilinear, ""},
                              {"aten.linalg_cross.default", multilinear, ""},
                              {"aten._trilinear.default", multilinear, ""},
                              {"aten.real.default", complex_real, "", "", Alias::View},
                              {"aten.ones.default", complex_filled, ""},
                              {"aten.ones_like.default", complex_filled, ""},
                              {"aten.full.default", complex_filled, ""},
                              {"aten.full_like.default", complex_filled, ""}};
  for (const char* target : {"aten.to.dtype", "aten.to.dtype_layout", "aten.to.device", "aten._to_copy.default",
                             "aten.to.other", "aten.type_as.default", "prims.convert_element_type.default"})
    rows.push_back({target, complex_cast, ""});
  std::vector<std::string> by_parts_each = targets_in(kByParts, "aten.");
  std::ranges::copy(targets_in(kPrimsByParts, "prims."), std::back_inserter(by_parts_each));
  for (const std::string& target : by_parts_each)
    if (const Converter* base = find_converter(target))
      rows.push_back({base->target, by_parts, "", "", base->alias, base->write_back ? write_by_parts : nullptr});
  for (const Converter& row : complex_function_forms()) rows.push_back(row);
  for (const Converter& row : complex_converters()) rows.push_back(row);
  for (const Converter& row : fft_converters()) rows.push_back(row);  // of real numbers as well
  return rows;
}

}  // namespace

std::vector<Converter> complex_converters() {
  const char* parts = "their two parts";
  return {{"aten.complex.default", joined_parts, parts},
          {"aten.polar.default", complex_polar, "`R.cos` and `R.sin`"},
          {"aten.view_as_real.default", as_real, "`R.concat`", "", Alias::View},
          {"aten.view_as_real_copy.default", as_real, "`R.concat`"},
          {"aten.view_as_complex.default", as_complex, "`R.strided_slice`", "", Alias::View},
          {"aten.view_as_complex_copy.default", as_complex, "`R.strided_slice`"},
          {"aten.imag.default", complex_imaginary, parts, "", Alias::View},
          {"aten._conj.default", complex_conjugate, "`R.negative`", "", Alias::View, conjugate_back},
          {"aten._conj_physical.default", complex_conjugate, "`R.negative`"},
          {"aten._neg_view.default", negative_view, "`R.negative`", "", Alias::View, negative_back}};
}

const Converter* complex_form(std::string_view target) {
  static const std::vector<Converter> rows = complex_forms();
  static const std::unordered_map<std::string_view, const Converter*> table = [] {
    std::unordered_map<std::string_view, const Converter*> t;
    for (const Converter& c : rows) t.emplace(c.target, &c);
    return t;
  }();
  auto it = table.find(target);
  if (it == table.end()) it = table.find(twin_of_prim(target));
  return it == table.end() ? nullptr : it->second;
}

}  // namespace sunmao::torch
