#include "frontend/shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/element.h"
#include "frontend/findings.h"
#include "ops/algebra/rule.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr int kMaxScalarNodes = 256;

bool is_minus_one(const Scalar& s) { return find_int(s) && *find_int(s) == -1; }

std::string text(const std::vector<Scalar>& dims) { return describe(ShapeType::make(dims)); }

bool has_shape(ModelBuilder& builder, const Expr& x, const std::vector<Scalar>& dims) {
  const std::vector<Scalar>* old = dims_of(x);
  if (!old || old->size() != dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i)
    if (!builder.can_prove(Binary::make(BinaryOp::Eq, (*old)[i], dims[i]))) return false;
  return true;
}

const std::vector<Scalar>& known_dims(const Expr& x) {
  const std::vector<Scalar>* dims = dims_of(x);
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  return *dims;
}

Expr constant(DType dtype, Number value, const Span& span) {
  ArrayBuilder data(dtype, {});
  store_element(dtype, data.data(), 0, value);
  return Constant::make(std::move(data).finish(), span);
}

Expr scalar_tuple(const std::vector<Scalar>& values) {
  std::vector<Expr> fields;
  for (const Scalar& v : values) fields.push_back(PrimValue::make(v));
  return Tuple::make(std::move(fields));
}

}  // namespace

bool is_short(const Scalar& s) {
  int nodes = 0;
  visit_all(s, [&](const Scalar&) { ++nodes; });
  return nodes <= kMaxScalarNodes;
}

Scalar bounded(Scalar s) {
  if (!is_short(s)) throw UnsupportedUse{"with a dimension that is too long an expression"};
  return s;
}

Scalar product(ModelBuilder& builder, std::span<const Scalar> dims) {
  Scalar p = int_imm(1);
  for (const Scalar& d : dims) p = bounded(builder.simplify(p * d));
  return p;
}

std::vector<Scalar> resolve_shape(ModelBuilder& builder, const std::vector<Scalar>& from, std::vector<Scalar> target,
                                  const char* code, const Span& span) {
  Scalar* open = nullptr;
  std::vector<Scalar> known;
  for (Scalar& d : target) {
    if (find_int(d) && *find_int(d) < -1) fail(code, span, fmt::format("a dimension cannot be {}", *find_int(d)));
    if (!is_minus_one(d))
      known.push_back(d);
    else if (open)
      fail(code, span, fmt::format("the shape {} has more than one -1", text(target)));
    else
      open = &d;
  }
  if (!open) return target;
  Scalar total = product(builder, from), rest = product(builder, known);
  const int64_t *t = find_int(total), *r = find_int(rest);
  if ((r && *r == 0) || (t && r && *t % *r != 0))
    fail(code, span,
         fmt::format("the -1 in {} has no value: the tensor has {} elements, the other dimensions make {}",
                     text(target), describe(total), describe(rest)));
  *open = builder.simplify(floor_div(total, rest));
  return target;
}

Expr reshaped(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span) {
  if (has_shape(builder, x, dims)) return x;
  return builder.call("reshape", {x, ShapeExpr::make(std::move(dims), span)}, {}, span);
}

Expr flattened(ModelBuilder& builder, const Expr& x, size_t first, size_t last, const Span& span) {
  const std::vector<Scalar>& dims = known_dims(x);
  if (first > last || last >= dims.size())
    throw UnsupportedUse{fmt::format("with the axes {} to {} of a tensor of rank {}", first, last, dims.size())};
  std::span<const Scalar> all(dims);
  std::vector<Scalar> target(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(first));
  target.push_back(product(builder, all.subspan(first, last - first + 1)));
  target.insert(target.end(), dims.begin() + static_cast<std::ptrdiff_t>(last) + 1, dims.end());
  return reshaped(builder, x, std::move(target), span);
}

Expr broadcast(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span) {
  if (has_shape(builder, x, dims)) return x;
  return builder.call("broadcast_to", {x, ShapeExpr::make(std::move(dims), span)}, {}, span);
}

Expr permuted(ModelBuilder& builder, const Expr& x, const std::vector<int64_t>& axes, const Span& span) {
  const auto rank = static_cast<int64_t>(axes.size());
  bool is_in_order = rank == rank_of(x);
  for (int64_t i = 0; i < rank && is_in_order; ++i) {
    const int64_t axis = axes[static_cast<size_t>(i)];
    is_in_order = (axis < 0 ? axis + rank : axis) == i;
  }
  if (is_in_order) return x;
  return builder.call("permute_dims", {x}, {{"axes", AttrValue::ints(axes)}}, span);
}

Expr with_channels_last(ModelBuilder& builder, const Expr& x, const Span& span) {
  std::vector<int64_t> order(known_dims(x).size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return permuted(builder, x, order, span);
}

Expr without_axes(ModelBuilder& builder, const Expr& x, std::vector<int64_t> axes, const Span& span) {
  if (axes.empty()) return x;
  return builder.call("squeeze", {x}, {{"axis", AttrValue::ints(axes)}}, span);
}

Expr with_axes(ModelBuilder& builder, const Expr& x, std::vector<int64_t> axes, const Span& span) {
  if (axes.empty()) return x;
  return builder.call("expand_dims", {x}, {{"axis", AttrValue::ints(axes)}}, span);
}

bool is_dropped(ModelBuilder& builder, const Scalar& size, const std::string& remedy, const Span& span) {
  const Scalar is_one = Binary::make(BinaryOp::Eq, size, int_imm(1));
  if (builder.can_prove(is_one)) return true;
  const std::string label = fmt::format("{}, which drops axes of size 1 ({})", span->label, remedy);
  builder.require_equal(Select::make(is_one, int_imm(2), size), size, builder.span(label));
  return false;
}

Expr sliced(ModelBuilder& builder, const Expr& x, const std::vector<AxisSlice>& slices, const Span& span) {
  std::vector<Scalar> axes, begins, ends, steps;
  const std::vector<Scalar>& dims = known_dims(x);
  for (const AxisSlice& s : slices) {
    const int64_t *begin = find_int(s.begin), *end = find_int(s.end);
    const auto rank = static_cast<int64_t>(dims.size());
    if (s.axis < -rank || s.axis >= rank)
      throw UnsupportedUse{fmt::format("of axis {} of a tensor of rank {}", s.axis, rank)};
    const Scalar& dim = dims[static_cast<size_t>(s.axis < 0 ? s.axis + rank : s.axis)];
    const bool reaches_end = (end && *end >= std::numeric_limits<int32_t>::max()) ||
                             builder.can_prove(Binary::make(BinaryOp::Ge, s.end, dim));
    if (begin && *begin == 0 && s.step == 1 && reaches_end) continue;
    axes.push_back(int_imm(s.axis));
    begins.push_back(s.begin);
    ends.push_back(s.step > 0 && reaches_end ? dim : s.end);
    steps.push_back(int_imm(s.step));
  }
  if (axes.empty()) return x;
  return builder.call("strided_slice",
                      {x, scalar_tuple(axes), scalar_tuple(begins), scalar_tuple(ends), scalar_tuple(steps)}, {}, span);
}

int64_t whole(double number) {
  if (!(std::abs(number) <= static_cast<double>(kLargestSize)))
    throw UnsupportedUse{fmt::format("with a number of {}", number)};
  return static_cast<int64_t>(number);
}

int64_t from_front(int64_t axis, int64_t rank, const char* code, const Span& span) {
  if (axis < -rank || axis >= rank)
    fail(code, span, fmt::format("axis {} is out of range for rank {}", axis, rank),
         fmt::format("axes are in [{}, {}]", -rank, rank - 1));
  return axis < 0 ? axis + rank : axis;
}

Expr converted(ModelBuilder& builder, const Expr& x, DType dtype, const Span& span) {
  if (dtype.is_void() || dtype_of(x) == dtype) return x;
  if (const auto* number = find<Constant>(x); number && number->data.rank() == 0)
    return constant(dtype, convert(number->data.dtype(), dtype, load_element(number->data, 0)), span);
  return builder.call("astype", {x}, {{"dtype", dtype}}, span);
}

Expr scaled(ModelBuilder& builder, const Expr& x, double factor, const Span& span) {
  if (factor == 1.0) return x;
  return builder.call("multiply", {x, scalar_constant(dtype_of(x), factor, span)}, {}, span);
}

Expr scalar_constant(DType dtype, double value, const Span& span) {
  return constant(dtype, convert(DType::float_(64), dtype, float_number(value)), span);
}

Expr integer_constant(DType dtype, int64_t value, const Span& span) {
  return constant(dtype, convert(DType::int_(64), dtype, int_number(value)), span);
}

Expr uniform_as_scalar(ModelBuilder& builder, const Expr& x, const Span& span) {
  const std::optional<Array> data = rank_of(x) == 0 ? std::nullopt : builder.data(x);
  if (!data || data->dtype().is_packed() || !uniform_of(*data)) return x;
  const auto size = static_cast<size_t>(data->dtype().bytes());
  return Constant::make(Array::copy(data->dtype(), {}, data->bytes().first(size)), span);
}

Expr ints_constant(const std::vector<int64_t>& values, const Span& span) {
  return Constant::make(Array::from_ints({static_cast<int64_t>(values.size())}, values), span);
}

Expr scalar_operand(const Scalar& value) { return PrimValue::make(value); }

Expr tensor_of(ModelBuilder& builder, const std::vector<Scalar>& elements, bool is_list, const Span& span) {
  std::vector<int64_t> numbers;
  for (const Scalar& s : elements)
    if (const int64_t* number = find_int(s)) numbers.push_back(*number);
  if (numbers.size() == elements.size())
    return is_list ? ints_constant(numbers, span) : integer_constant(DType::int_(64), numbers.at(0), span);
  const Expr list = builder.call("shape_to_tensor", {ShapeExpr::make(elements, span)}, {}, span);
  return is_list ? list : reshaped(builder, list, {}, span);
}

}  // namespace sunmao
