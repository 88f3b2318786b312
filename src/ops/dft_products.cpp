#include "ops/dft_products.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "ops/ops.h"

namespace sunmao {
namespace {

constexpr int64_t kMostNumbers = int64_t{1} << 22;  // of the matrices of a transform
constexpr int64_t kMostPoints = 128;                // in one product; more are split where they have factors

Expr made(const char* op, std::vector<Expr> args, AttrMap attrs = {}) {
  return Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)), {}, {});
}
Expr reshaped_as(const Expr& x, std::vector<Scalar> dims) {
  return made("reshape", {x, ShapeExpr::make(std::move(dims))});
}
Expr in_order_of(const Expr& x, const std::vector<int64_t>& axes) {
  return made("permute_dims", {x}, {{"axes", AttrValue::ints(axes)}});
}

/// A matrix between complex numbers, whose parts lie side by side: element (`row`, `column`) turns by
/// `turn(row, column)` of `points`, and multiplies by `size`.
struct Turns {
  int64_t points, rows, columns, parts_in, parts_out;
  bool inverse;

  template <class T, class Turn, class Size>
  void write(std::span<T> out, const Turn& turn, const Size& size) const {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(turn(row, column) % points) /
                             static_cast<double>(points) * (inverse ? 1 : -1);
        const double re = size(row) * std::cos(angle), im = size(row) * std::sin(angle);
        const double parts[2][2] = {{re, im}, {-im, re}};
        for (int64_t i = 0; i < parts_in; ++i)
          for (int64_t o = 0; o < parts_out; ++o)
            out[static_cast<size_t>((row * parts_in + i) * columns * parts_out + column * parts_out + o)] =
                static_cast<T>(parts[i][o]);
      }
  }
  int64_t count() const { return rows * columns * parts_in * parts_out; }
};

/// Returns `count` matrices, that of `i` with the turns `turn(i, row, column)`.
template <class Turn, class Size>
Expr matrices(DType dtype, const Turns& t, int64_t count, const Turn& turn, const Size& size) {
  std::vector<int64_t> shape{t.rows * t.parts_in, t.columns * t.parts_out};
  if (count > 1) shape.insert(shape.begin(), count);
  ArrayBuilder out(dtype, shape);
  const auto each = static_cast<size_t>(t.count());
  for (int64_t i = 0; i < count; ++i) {
    const auto of_row = [&](int64_t row, int64_t column) { return turn(i, row, column); };
    if (dtype.bits == 64)
      t.write(out.as<double>().subspan(static_cast<size_t>(i) * each, each), of_row, size);
    else
      t.write(out.as<float>().subspan(static_cast<size_t>(i) * each, each), of_row, size);
  }
  return Constant::make(std::move(out).finish());
}

/// Returns the two factors of a number that are nearest to each other, the larger one first.
std::pair<int64_t, int64_t> factors_of(int64_t number) {
  auto small = static_cast<int64_t>(std::sqrt(static_cast<double>(number)));
  while (number % small != 0) --small;
  return {number / small, small};
}

class Products {
 public:
  Products(const DftForm& form, DType dtype, Scalar batch) : form_(form), dtype_(dtype), batch_(std::move(batch)) {}

  /// Transforms `x`, (batch, given * parts_in); returns (batch, bins, parts_out), or null.
  Expr run(const Expr& x) const {
    const auto [outer, inner] = factors_of(form_.points);
    const bool is_whole = form_.given == form_.points && !(form_.inverse && form_.half);
    if (form_.points > kMostPoints && inner > 1 && is_whole) {
      const int64_t numbers = 2 * form_.parts_in * outer * outer + 4 * form_.points * inner;
      return numbers > kMostNumbers ? Expr() : in_two(x, outer, inner);
    }
    return at_once(x);
  }

 private:
  double scale() const { return form_.inverse ? 1 / static_cast<double>(form_.points) : 1; }

  Expr at_once(const Expr& x) const {
    const Turns t{form_.points, form_.given, form_.bins, form_.parts_in, form_.parts_out, form_.inverse};
    if (t.count() > kMostNumbers) return {};
    const int64_t points = form_.points;
    const bool is_mirrored = form_.inverse && form_.half;
    // Of half a spectrum each bin stands for its mirror image as well, which some bins are themselves.
    const auto size = [&](int64_t row) {
      if (row >= (is_mirrored ? points / 2 + 1 : points)) return 0.0;
      return scale() * (is_mirrored && row > 0 && 2 * row != points ? 2 : 1);
    };
    const auto turn = [](int64_t, int64_t row, int64_t column) { return row * column; };
    const Expr out = made("matmul", {x, matrices(dtype_, t, 1, turn, size)});
    return reshaped_as(out, {batch_, int_imm(form_.bins), int_imm(form_.parts_out)});
  }

  /// The points lie in `outer` rows of `inner`: columns are transformed, and then what stands in a row, turned by what
  /// its place in the column asks for.
  Expr in_two(const Expr& x, int64_t outer, int64_t inner) const {
    const int64_t points = form_.points;
    const auto one = [](int64_t) { return 1.0; };
    Expr y = reshaped_as(x, {batch_, int_imm(outer), int_imm(inner), int_imm(form_.parts_in)});
    y = in_order_of(y, {0, 2, 1, 3});
    y = reshaped_as(y, {batch_, int_imm(inner), int_imm(outer * form_.parts_in)});
    y = made("matmul", {y, matrices(
                               dtype_, {outer, outer, outer, form_.parts_in, 2, form_.inverse}, 1,
                               [](int64_t, int64_t row, int64_t column) { return row * column; }, one)});
    y = reshaped_as(y, {batch_, int_imm(inner), int_imm(outer), int_imm(2)});
    y = in_order_of(y, {2, 0, 1, 3});
    y = reshaped_as(y, {int_imm(outer), batch_, int_imm(inner * 2)});
    y = made("matmul", {y, matrices(
                               dtype_, {points, inner, inner, 2, 2, form_.inverse}, outer,
                               [outer](int64_t i, int64_t row, int64_t column) { return row * (i + outer * column); },
                               [this](int64_t) { return scale(); })});
    y = reshaped_as(y, {int_imm(outer), batch_, int_imm(inner), int_imm(2)});
    y = in_order_of(y, {1, 2, 0, 3});
    y = reshaped_as(y, {batch_, int_imm(points), int_imm(2)});
    if (form_.bins == points) return y;
    const auto number = [](int64_t value) { return Tuple::make({PrimValue::make(int_imm(value))}); };
    return made("strided_slice", {y, number(1), number(0), number(form_.bins)});
  }

  const DftForm& form_;
  const DType dtype_;
  const Scalar batch_;
};

}  // namespace

Expr dft_by_products(const InferInput& in, const Call& call, const DftForm& form) {
  const TensorType& x = in.tensor(0);
  const std::vector<Scalar> dims = *written(x);
  const DType wide = accumulator(x.dtype);
  const auto last = static_cast<int64_t>(dims.size()) - 1, axis = static_cast<int64_t>(form.axis);
  std::vector<int64_t> to_end;
  std::vector<Scalar> rest;
  Scalar batch = int_imm(1);
  for (int64_t i = 0; i < last; ++i) {
    if (i == axis) continue;
    to_end.push_back(i);
    rest.push_back(dims[static_cast<size_t>(i)]);
    batch = in.analyzer().simplify(batch * rest.back());
  }
  to_end.insert(to_end.end(), {axis, last});
  std::vector<int64_t> back(to_end.size());
  for (size_t i = 0; i < to_end.size(); ++i) back[static_cast<size_t>(to_end[i])] = static_cast<int64_t>(i);

  Expr y = wide == x.dtype ? call.args[0] : made("astype", {call.args[0]}, {{"dtype", wide}});
  y = reshaped_as(in_order_of(y, to_end), {batch, int_imm(form.given * form.parts_in)});
  y = Products(form, wide, batch).run(y);
  if (!y) return y;
  rest.insert(rest.end(), {int_imm(form.bins), int_imm(form.parts_out)});
  y = in_order_of(reshaped_as(y, std::move(rest)), back);
  return wide == x.dtype ? y : made("astype", {y}, {{"dtype", x.dtype}});
}

}  // namespace sunmao
