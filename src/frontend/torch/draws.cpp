#include "frontend/torch/draws.h"

#include <limits>

#include "frontend/shapes.h"

namespace sunmao::torch {
namespace {

constexpr DType kDrawn = DType::int_(64);

Expr shape_of(std::vector<Scalar> dims, const NodeContext& n) { return ShapeExpr::make(std::move(dims), n.span); }

/// Draws between bounds of 64 bits: `NodeContext::call` takes numbers for sizes, and refuses large ones.
Expr integers_of_64_bits(const NodeContext& n, int64_t low, int64_t high, const std::vector<Scalar>& dims) {
  const Expr shape = shape_of(dims, n), seed = n.builder.next_seed(n.span);
  const Expr checked = n.call("random.integers", {seed, shape}, {{"low", 0}, {"high", 1}});
  return Call::make(find<Call>(checked)->callee, {seed, shape},
                    Attrs({{"low", low}, {"high", high}, {"dtype", kDrawn}}), {}, n.span);
}

}  // namespace

Expr uniform_numbers(const NodeContext& n, std::vector<Scalar> dims, DType dtype, double low, double high) {
  return n.call("random.uniform", {n.builder.next_seed(n.span), shape_of(std::move(dims), n)},
                {{"low", low}, {"high", high}, {"dtype", dtype}});
}

Expr normal_numbers(const NodeContext& n, std::vector<Scalar> dims, DType dtype) {
  return n.call("random.normal", {n.builder.next_seed(n.span), shape_of(std::move(dims), n)}, {{"dtype", dtype}});
}

Expr integers_between(const NodeContext& n, const Scalar& low, const Scalar& high, std::vector<Scalar> dims,
                      DType dtype) {
  const int64_t *first = find_int(low), *end = find_int(high);
  if (first && end) return converted(n.builder, integers_of_64_bits(n, *first, *end, dims), dtype, n.span);
  const auto number = [&](const Scalar& s) { return sunmao::tensor_of(n.builder, {s}, false, n.span); };
  const Expr bits = integers_of_64_bits(n, 0, std::numeric_limits<int64_t>::max(), dims);
  const Expr range = n.call("subtract", {number(high), number(low)});
  return converted(n.builder, n.call("add", {n.call("floor_mod", {bits, range}), number(low)}), dtype, n.span);
}

Expr exponential_numbers(const NodeContext& n, std::vector<Scalar> dims, DType dtype) {
  const bool is_double = dtype == DType::float_(64);
  const DType wide = is_double ? dtype : DType::float_(32);
  const Expr rest = n.call("log1p", {n.call("negative", {uniform_numbers(n, std::move(dims), wide)})});
  // Half of the distance from 1 to the next number: what a number drawn as 0 stands for.
  const double least = is_double ? 0x1p-53 : 0x1p-24;
  return n.call("maximum", {n.call("negative", {rest}), n.constant(wide, least)});
}

Expr events(const NodeContext& n, std::vector<Scalar> dims, double share) {
  if (!(share >= 0 && share <= 1)) throw UnsupportedUse{fmt::format("with the probability {}", share)};
  const DType dtype = DType::float_(32);
  return n.call("less", {uniform_numbers(n, std::move(dims), dtype), n.constant(dtype, share)});
}

Expr dropped_out(const NodeContext& n, const Expr& x, const Expr& kept, double p) {
  // A product, as in PyTorch: infinity that is dropped gives NaN.
  const Expr product = n.call("multiply", {x, converted(n.builder, kept, dtype_of(x), n.span)});
  return scaled(n.builder, product, p < 1 ? 1 / (1 - p) : 0, n.span);
}

Expr dropped_out(const NodeContext& n, const Expr& x, double p) {
  return dropped_out(n, x, events(n, n.dims(x), 1 - p), p);
}

}  // namespace sunmao::torch
