// Converter of ONNX Runtime's LSTM with quantised weights: a loop over the steps of the sequence, each of which
// quantises the hidden state over its range.
#include <algorithm>
#include <array>

#include "frontend/onnx/quantize.h"
#include "frontend/onnx/stacks.h"

namespace sunmao::onnx {
namespace {

enum Input : size_t { X, W, R, B, Lengths, H, C, P, WScale, WZero, RScale, RZero };
constexpr int64_t kGates = 4;  // input, output, forget, cell

/// A quantised matrix of one direction. The zero point is null where it is 0; `sums` are those of columns less zero.
struct Weight {
  Expr values, scale, zero, sums;
};

class QuantisedLstm {
 public:
  explicit QuantisedLstm(const NodeContext& n) : n_(n) {
    const std::string direction = n.string_attr("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      n.fail("`direction` is none of \"forward\", \"reverse\" and \"bidirectional\"");
    directions_ = direction == "bidirectional" ? 2 : 1;
    starts_in_reverse_ = direction == "reverse";
    check_form();
    require_rank(n, X, 3);
    require_rank(n, R, 3);
    length_ = n.dims(X)[0], batch_ = n.dims(X)[1], hidden_ = n.dims(R)[1];
  }

  Results results() const {
    const RangeQuantised x = quantized_over_range(n_, n_.tensor(X));
    std::array<std::vector<Expr>, 3> parts;
    for (int64_t d = 0; d < directions_; ++d) {
      const std::vector<Expr> one = direction(d, x);
      for (size_t i = 0; i < parts.size(); ++i)
        parts[i].push_back(with_axes(n_.builder, one[i], {i == 0 ? 1 : 0}, n_.span));
    }
    return {joined(n_, parts[0], 1), joined(n_, parts[1], 0), joined(n_, parts[2], 0)};
  }

 private:
  void check_form() const {
    if (n_.has_input(Lengths)) throw UnsupportedUse{"with lengths of sequences"};
    if (n_.float_attr("clip", 0) != 0) throw UnsupportedUse{"with `clip`"};
    if (n_.int_attr("layout", 0) != 0) throw UnsupportedUse{"with the batch first"};
    std::vector<std::string> usual;
    for (int64_t d = 0; d < directions_; ++d) usual.insert(usual.end(), {"Sigmoid", "Tanh", "Tanh"});
    if (n_.strings_attr("activations").value_or(usual) != usual) throw UnsupportedUse{"with other activations"};
  }

  /// Returns the part of a parameter that belongs to a direction; its first axis, the one of directions, goes.
  Expr part(size_t input, int64_t d) const {
    const Expr x = n_.tensor(input);
    return directions_ == 1 ? without_axes(n_.builder, x, {0}, n_.span) : slice_at(n_, x, d, 0);
  }

  bool has_zero_point(size_t zero) const {
    if (!n_.builder.data(n_.tensor(zero))) return true;
    return std::ranges::any_of(n_.numbers(zero, "zero points"), [](double v) { return v != 0; });
  }

  Weight weight(size_t input, size_t scale, size_t zero, int64_t d) const {
    const auto wide = [&](const Expr& x) { return converted(n_.builder, x, DType::int_(32), n_.span); };
    Weight w{.values = part(input, d), .scale = part(scale, d)};
    if (has_zero_point(zero)) w.zero = wide(part(zero, d));
    const Expr values = wide(w.values);
    w.sums = reduced(n_, "sum", w.zero ? binary(n_, "subtract", values, w.zero) : values, {0});
    for (Expr* e : {&w.values, &w.scale, &w.zero, &w.sums})
      if (*e) *e = n_.builder.bind(*e, "weight");
    return w;
  }

  /// Returns the product of rows and a weight in floats. Both stay bytes: (x - a)(w - b) = x w - b x - a (w - b), where
  /// the last product is one with sums of the weight's columns.
  Expr product(const RangeQuantised& x, const Weight& w) const {
    const auto wide = [&](const Expr& e) { return converted(n_.builder, e, DType::int_(32), n_.span); };
    Expr sums = n_.call("matmul", {x.values, w.values}, {{"out_dtype", DType::int_(32)}});
    if (w.zero) {
      const Expr rows = reduced(n_, "sum", wide(x.values), {rank_of(x.values) - 1});
      sums = binary(n_, "subtract", sums, binary(n_, "multiply", w.zero, rows));
    }
    sums = binary(n_, "subtract", sums, binary(n_, "multiply", wide(x.zero), w.sums));
    const Expr factor = binary(n_, "multiply", x.scale, w.scale);
    return binary(n_, "multiply", converted(n_.builder, sums, dtype_of(factor), n_.span), factor);
  }

  /// Returns part `i` of the last axis, as wide as the hidden state.
  Expr slice_of(const Expr& x, int64_t i) const {
    return sliced(n_.builder, x,
                  {{.axis = rank_of(x) - 1,
                    .begin = n_.builder.simplify(hidden_ * int_imm(i)),
                    .end = n_.builder.simplify(hidden_ * int_imm(i + 1))}},
                  n_.span);
  }

  Expr state(size_t input, int64_t d) const {
    if (n_.has_input(input)) return part(input, d);
    return n_.call("zeros", {ShapeExpr::make({batch_, hidden_}, n_.span)}, {{"dtype", dtype_of(n_.tensor(X))}});
  }

  /// Returns the next hidden state and the next cell.
  std::pair<Expr, Expr> step(const Expr& from_input, const Weight& weight, const Expr& h, const Expr& c,
                             int64_t d) const {
    const Expr sums = binary(n_, "add", from_input, product(quantized_over_range(n_, h), weight));
    const auto gate = [&](int64_t i, int64_t peephole, const Expr& cell) {
      Expr sum = slice_of(sums, i);
      if (peephole >= 0 && n_.has_input(P))
        sum = binary(n_, "add", sum, binary(n_, "multiply", slice_of(part(P, d), peephole), cell));
      if (!n_.has_input(B)) return sum;
      const Expr biases = part(B, d);
      return binary(n_, "add", sum, binary(n_, "add", slice_of(biases, i), slice_of(biases, kGates + i)));
    };
    const auto sigmoid = [&](const Expr& x) { return n_.call("sigmoid", {x}); };
    const auto tanh = [&](const Expr& x) { return n_.call("tanh", {x}); };
    const Expr in = sigmoid(gate(0, 0, c));
    const Expr forget = n_.int_attr("input_forget", 0) ? binary(n_, "subtract", 1, in) : sigmoid(gate(2, 2, c));
    const Expr cell =
        binary(n_, "add", binary(n_, "multiply", forget, c), binary(n_, "multiply", in, tanh(gate(3, -1, c))));
    return {binary(n_, "multiply", sigmoid(gate(1, 1, cell)), tanh(cell)), cell};
  }

  /// Returns the hidden states of all steps, and both states behind the last.
  std::vector<Expr> direction(int64_t d, const RangeQuantised& x) const {
    const bool is_backward = starts_in_reverse_ || d == 1;
    const Expr from_input = n_.builder.bind(product(x, weight(W, WScale, WZero, d)), "from_input");
    const Weight recurrent = weight(R, RScale, RZero, d);
    const Expr length = tensor_of(n_.builder, {length_}, false, n_.span);
    const auto goes_on = [&](const std::vector<Expr>& carried) {
      return std::vector{binary(n_, "less", carried[0], length)};
    };
    const auto next = [&](const std::vector<Expr>& carried) {
      const Expr count = binary(n_, "add", carried[0], 1);
      const Expr place = is_backward ? binary(n_, "subtract", length, count) : carried[0];
      const Expr row = n_.call("take", {from_input, place}, {{"axis", 0}});
      const auto [h, c] = step(row, recurrent, carried[1], carried[2], d);
      return std::vector{count, h, c, h};
    };
    const std::vector<Expr> start{integer_constant(DType::int_(64), 0, n_.span), state(H, d), state(C, d)};
    const std::vector<Expr> end =
        stacking_loop(n_, start, goes_on, next, {{.is_backward = is_backward}}, length_, "lstm");
    return {end[3], end[1], end[2]};
  }

  const NodeContext& n_;
  int64_t directions_ = 1;
  bool starts_in_reverse_ = false;
  Scalar length_, batch_, hidden_;
};

Results dynamic_quantize_lstm(const NodeContext& n) { return QuantisedLstm(n).results(); }

}  // namespace

std::vector<Converter> contrib_recurrent_converters() {
  return {{"com.microsoft::DynamicQuantizeLSTM", 1, dynamic_quantize_lstm,
           "a loop of `R.quantize`, `R.matmul` in int32 and elementwise ops",
           "without lengths and `clip`, with the usual activations"}};
}

}  // namespace sunmao::onnx
