// Converters of recurrent layers and cells. The input's part of all gates is one matrix product over all time steps.
#include <algorithm>
#include <array>

#include "frontend/shapes.h"
#include "frontend/torch/draws.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// A kind of layer: the op, its activation where it has a choice, whether it has a cell, and whether it resets what the
/// weight makes of the state.
struct Kind {
  const char* op;
  const char* activation = nullptr;
  bool has_cell = false, resets = false;
};
constexpr Kind kLstm{.op = "nn.lstm", .has_cell = true}, kGru{.op = "nn.gru", .resets = true},
    kTanh{.op = "nn.rnn", .activation = "tanh"}, kRelu{.op = "nn.rnn", .activation = "relu"};

/// The weights of one layer in one direction; biases are null where there are none.
struct Weights {
  Expr input, hidden, input_bias, hidden_bias;
};

/// The states at the start or the end, each (batch, hidden).
struct State {
  Expr hidden, cell;
};

Expr transposed_weight(const NodeContext& n, const Expr& weight) { return permuted(n.builder, weight, {1, 0}, n.span); }

/// Returns the last third of a GRU's bias, which is added to the state's part of the new gate before the reset, and the
/// bias with zeros in its place.
std::array<Expr, 2> reset_bias(const NodeContext& n, const Expr& bias) {
  const Scalar third = n.builder.simplify(floor_div(n.dims(bias).at(0), int_imm(3)));
  const Scalar cut = n.builder.simplify(third * int_imm(2));
  Expr first = sliced(n.builder, bias, {{0, int_imm(0), cut}}, n.span),
       last = sliced(n.builder, bias, {{0, cut, n.dims(bias).at(0)}}, n.span);
  Expr zeros = broadcast(n.builder, n.constant(dtype_of(bias), 0), {third}, n.span);
  return {last, n.call("concat", {Tuple::make({first, zeros})}, {{"axis", 0}})};
}

/// Runs one layer in one direction over (time, batch, features): its outputs and its last states.
std::pair<Expr, State> layer(const NodeContext& n, const Kind& kind, const Expr& x, const Weights& w,
                             const State& start, bool reverse) {
  Expr gates = n.call("matmul", {x, transposed_weight(n, w.input)}), reset;
  if (w.input_bias) {
    Expr hidden_bias = w.hidden_bias;
    if (kind.resets) {
      const auto [last, rest] = reset_bias(n, w.hidden_bias);
      reset = last;
      hidden_bias = rest;
    }
    gates = n.call("add", {gates, n.call("add", {w.input_bias, hidden_bias})});
  }
  std::vector<Expr> args{gates, w.hidden, start.hidden};
  if (kind.has_cell) args.push_back(start.cell);
  if (reset) args.push_back(reset);
  AttrMap attrs{{"reverse", reverse}};
  if (kind.activation) attrs["activations"] = AttrList{kind.activation};
  std::vector<Expr> out = n.fields(n.call(kind.op, std::move(args), std::move(attrs)), kind.has_cell ? 3 : 2).values;
  return {out[0], {out[1], kind.has_cell ? out[2] : Expr()}};
}

/// Returns the part of (layers * directions, batch, hidden) for one layer and direction.
Expr part(const NodeContext& n, const Expr& states, int64_t i) {
  return without_axes(n.builder, sliced(n.builder, states, {{0, int_imm(i), int_imm(i + 1)}}, n.span), {0}, n.span);
}

class Recurrent {
 public:
  Recurrent(const NodeContext& n, const Kind& kind)
      : n_(n), kind_(kind), params_(n.tensors("params")), has_biases_(n.boolean("has_biases")),
        layers_(n.integer("num_layers")), directions_(n.boolean("bidirectional") ? 2 : 1),
        dropped_(n.boolean("train") ? n.real("dropout") : 0) {
    const size_t each = has_biases_ ? 4 : 2;
    if (params_.size() != each * static_cast<size_t>(layers_ * directions_)) throw UnsupportedUse{"with a projection"};
  }

  /// `hidden` and `cell` hold the states at the start of all layers.
  Results run(Expr x, const Expr& hidden, const Expr& cell) {
    const bool batch_first = n_.boolean("batch_first");
    if (batch_first) x = permuted(n_.builder, x, {1, 0, 2}, n_.span);
    for (int64_t l = 0; l < layers_; ++l) {
      if (l > 0 && dropped_ != 0) x = dropped_out(n_, x, dropped_);
      x = all_directions(x, hidden, cell, l);
    }
    if (batch_first) x = permuted(n_.builder, x, {1, 0, 2}, n_.span);
    Results out{x, stacked(hidden_)};
    if (kind_.has_cell) out.values.push_back(stacked(cells_));
    return out;
  }

 private:
  Expr stacked(const std::vector<Expr>& parts) const { return n_.call("stack", {Tuple::make(parts)}, {{"axis", 0}}); }

  Weights weights(int64_t index) const {
    const size_t at = static_cast<size_t>(index) * (has_biases_ ? 4 : 2);
    if (!has_biases_) return {params_[at], params_[at + 1], nullptr, nullptr};
    return {params_[at], params_[at + 1], params_[at + 2], params_[at + 3]};
  }

  Expr all_directions(const Expr& x, const Expr& hidden, const Expr& cell, int64_t l) {
    std::vector<Expr> outputs;
    for (int64_t d = 0; d < directions_; ++d) {
      const int64_t i = l * directions_ + d;
      const State start{part(n_, hidden, i), kind_.has_cell ? part(n_, cell, i) : Expr()};
      auto [output, end] = layer(n_, kind_, x, weights(i), start, d == 1);
      outputs.push_back(output);
      hidden_.push_back(end.hidden);
      if (kind_.has_cell) cells_.push_back(end.cell);
    }
    return directions_ == 1 ? outputs[0] : n_.call("concat", {Tuple::make(outputs)}, {{"axis", 2}});
  }

  const NodeContext& n_;
  const Kind& kind_;
  const std::vector<Expr> params_;
  const bool has_biases_;
  const int64_t layers_, directions_;
  const double dropped_;  // the share of elements between layers
  std::vector<Expr> hidden_, cells_;
};

Results lstm(const NodeContext& n) {
  const std::vector<Expr> states = n.tensors("hx");
  if (states.size() != 2) n.malformed("hx");
  return Recurrent(n, kLstm).run(n.tensor("input"), states[0], states[1]);
}
template <const Kind* kind>
Results recurrent(const NodeContext& n) {
  return Recurrent(n, *kind).run(n.tensor("input"), n.tensor("hx"), nullptr);
}

/// Converts one time step: a layer over a sequence of one.
State cell_of(const NodeContext& n, const Kind& kind, const State& start) {
  auto bias = [&](const char* name) { return n.has(name) ? n.tensor(name) : Expr(); };
  const Weights w{n.tensor("w_ih"), n.tensor("w_hh"), bias("b_ih"), bias("b_hh")};
  if (n.has("b_ih") != n.has("b_hh")) n.malformed("b_hh");
  return layer(n, kind, with_axes(n.builder, n.tensor("input"), {0}, n.span), w, start, false).second;
}
Results lstm_cell(const NodeContext& n) {
  const std::vector<Expr> states = n.tensors("hx");
  if (states.size() != 2) n.malformed("hx");
  const State end = cell_of(n, kLstm, {states[0], states[1]});
  return {end.hidden, end.cell};
}
template <const Kind* kind>
Results cell(const NodeContext& n) {
  return cell_of(n, *kind, {n.tensor("hx"), nullptr}).hidden;
}

}  // namespace

std::vector<Converter> recurrent_converters() {
  const char* limits = "without a projection";
  return {{"aten.lstm.input", lstm, "`R.matmul` and `R.nn.lstm`", limits},
          {"aten.gru.input", recurrent<&kGru>, "`R.matmul` and `R.nn.gru`", limits},
          {"aten.rnn_tanh.input", recurrent<&kTanh>, "`R.matmul` and `R.nn.rnn`", limits},
          {"aten.rnn_relu.input", recurrent<&kRelu>, "`R.matmul` and `R.nn.rnn`", limits},
          {"aten.lstm_cell.default", lstm_cell, "`R.matmul` and `R.nn.lstm`"},
          {"aten.gru_cell.default", cell<&kGru>, "`R.matmul` and `R.nn.gru`"},
          {"aten.rnn_tanh_cell.default", cell<&kTanh>, "`R.matmul` and `R.nn.rnn`"},
          {"aten.rnn_relu_cell.default", cell<&kRelu>, "`R.matmul` and `R.nn.rnn`"}};
}

}  // namespace sunmao::torch
