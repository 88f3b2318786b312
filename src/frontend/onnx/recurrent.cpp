// Converters of recurrent layers: RNN, GRU, LSTM, one call of the library for each direction.
#include <algorithm>
#include <array>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// What one kind of layer has. `order` gives for each gate of the library its place in ONNX.
struct Kind {
  const char* op;
  std::vector<int64_t> order;
  std::vector<const char*> activations;
  bool has_cell = false;
};

const Kind kRnn{"nn.rnn", {0}, {"Tanh"}};
const Kind kGru{"nn.gru", {1, 0, 2}, {"Sigmoid", "Tanh"}};                     // z r h as r z h
const Kind kLstm{"nn.lstm", {0, 2, 3, 1}, {"Sigmoid", "Tanh", "Tanh"}, true};  // i o f c as i f c o

struct Word {
  const char *onnx, *own;
  int constants;  // of alpha and beta, how many it takes
};
constexpr std::array kWords{Word{"relu", "relu", 0},
                            Word{"tanh", "tanh", 0},
                            Word{"sigmoid", "sigmoid", 0},
                            Word{"affine", "affine", 2},
                            Word{"leakyrelu", "leaky_relu", 1},
                            Word{"thresholdedrelu", "thresholded_relu", 1},
                            Word{"scaledtanh", "scaled_tanh", 2},
                            Word{"hardsigmoid", "hard_sigmoid", 2},
                            Word{"elu", "elu", 1},
                            Word{"softsign", "softsign", 0},
                            Word{"softplus", "softplus", 0}};

const Word& word_of(const NodeContext& n, std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Word& w : kWords)
    if (w.onnx == name) return w;
  n.fail(fmt::format("the activation {} is unknown", name));
}

class Layer {
 public:
  Layer(const NodeContext& n, const Kind& kind) : n_(n), kind_(kind) {
    const std::string direction = n.string_attr("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      n.fail("`direction` is none of \"forward\", \"reverse\" and \"bidirectional\"");
    directions_ = direction == "bidirectional" ? 2 : 1;
    starts_in_reverse_ = direction == "reverse";
    batch_is_first_ = n.int_attr("layout", 0) != 0;
    x_ = batch_is_first_ ? permuted(n.builder, n.tensor(0), {1, 0, 2}, n.span) : n.tensor(0);
    const std::vector<Scalar>*dims = dims_of(x_), *weight = dims_of(n.tensor(2));
    if (!dims || !weight || dims->size() != 3 || weight->size() != 3)
      throw UnsupportedUse{"of tensors of unknown shape"};
    length_ = (*dims)[0], batch_ = (*dims)[1], hidden_ = (*weight)[2];
    read_activations();
  }

  Results results() const {
    std::vector<std::vector<Expr>> parts(kind_.has_cell ? 3 : 2);
    for (int64_t d = 0; d < directions_; ++d) {
      const Results one = n_.fields(direction(d), parts.size());
      for (size_t i = 0; i < parts.size(); ++i)
        parts[i].push_back(with_axes(n_.builder, one.values[i], {i == 0 ? 1 : 0}, n_.span));
    }
    std::vector<Expr> out;
    for (size_t i = 0; i < parts.size(); ++i) {
      const Expr all = joined(n_, parts[i], i == 0 ? 1 : 0);
      if (!batch_is_first_)
        out.push_back(all);
      else
        out.push_back(permuted(n_.builder, all,
                               i == 0 ? std::vector<int64_t>{2, 0, 1, 3} : std::vector<int64_t>{1, 0, 2}, n_.span));
    }
    return Results(std::move(out));
  }

 private:
  /// Constants are consumed in the order of the activations that take them.
  void read_activations() {
    const size_t each = kind_.activations.size(), count = each * static_cast<size_t>(directions_);
    std::vector<std::string> names = n_.strings_attr("activations").value_or(std::vector<std::string>{});
    if (names.empty())
      for (size_t i = 0; i < count; ++i) names.emplace_back(kind_.activations[i % each]);
    if (names.size() != count) n_.fail(fmt::format("{} activations, expected {}", names.size(), count));
    const std::vector<double> alphas = n_.floats_attr("activation_alpha").value_or(std::vector<double>{}),
                              betas = n_.floats_attr("activation_beta").value_or(std::vector<double>{});
    size_t alpha = 0, beta = 0;
    for (const std::string& name : names) {
      const Word& word = word_of(n_, name);
      words_.emplace_back(word.own);
      alphas_.push_back(word.constants >= 1 && alpha < alphas.size() ? AttrValue(alphas[alpha++]) : AttrValue());
      betas_.push_back(word.constants >= 2 && beta < betas.size() ? AttrValue(betas[beta++]) : AttrValue());
    }
  }

  AttrValue of_direction(const AttrList& all, int64_t d) const {
    const auto each = static_cast<std::ptrdiff_t>(kind_.activations.size());
    return AttrList(all.begin() + d * each, all.begin() + (d + 1) * each);
  }

  /// Returns the part of a parameter that belongs to a direction; its first axis, the one of directions, goes.
  Expr part(size_t input, int64_t d) const {
    const Expr x = n_.tensor(input);
    return directions_ == 1 ? without_axes(n_.builder, x, {0}, n_.span) : slice_at(n_, x, d, 0);
  }

  Expr rows(const Expr& x, const Scalar& begin, const Scalar& end) const {
    return sliced(n_.builder, x, {{.axis = 0, .begin = n_.builder.simplify(begin), .end = n_.builder.simplify(end)}},
                  n_.span);
  }
  /// Returns the rows of gate `i`, counted from the start of `x`.
  Expr gate(const Expr& x, int64_t i) const { return rows(x, hidden_ * int_imm(i), hidden_ * int_imm(i + 1)); }

  Expr in_order(const Expr& x) const {
    if (kind_.order.size() == 1) return x;
    std::vector<Expr> gates;
    for (int64_t place : kind_.order) gates.push_back(gate(x, place));
    return joined(n_, std::move(gates), 0);
  }

  /// What the input adds to each gate, with the biases that are added to it.
  Expr input_part(int64_t d) const {
    const Expr weight = permuted(n_.builder, in_order(part(1, d)), {1, 0}, n_.span);
    const Expr product = binary(n_, "matmul", x_, weight);
    if (!n_.has_input(3)) return product;
    const auto count = static_cast<int64_t>(kind_.order.size());
    const Expr biases = part(3, d), of_input = rows(biases, int_imm(0), hidden_ * int_imm(count)),
               of_state = rows(biases, hidden_ * int_imm(count), hidden_ * int_imm(2 * count));
    if (!resets_product()) return binary(n_, "add", product, in_order(binary(n_, "add", of_input, of_state)));
    // The bias of the new gate's state stays beside the product, which is reset with it.
    std::vector<Expr> sums;
    for (int64_t place : kind_.order)
      sums.push_back(place == 2 ? gate(of_input, place)
                                : binary(n_, "add", gate(of_input, place), gate(of_state, place)));
    return binary(n_, "add", product, joined(n_, std::move(sums), 0));
  }

  bool resets_product() const { return &kind_ == &kGru && n_.int_attr("linear_before_reset", 0) != 0; }

  Expr state(size_t input, int64_t d) const {
    if (!n_.has_input(input))
      return n_.call("zeros", {ShapeExpr::make({batch_, hidden_}, n_.span)}, {{"dtype", dtype_of(x_)}});
    if (!batch_is_first_) return part(input, d);
    return slice_at(n_, n_.tensor(input), d, 1);
  }

  /// True when the lengths are all that of the longest sequence, as exporters write.
  bool are_all_whole() const {
    const int64_t* length = find_int(length_);
    const std::optional<SymbolicTensor> lengths = n_.builder.elements(n_.tensor(4));
    return lengths && std::ranges::all_of(lengths->elements, [&](const Scalar& s) {
             return length ? find_int(s) && *find_int(s) == *length
                           : n_.builder.can_prove(Binary::make(BinaryOp::Eq, s, length_));
           });
  }

  Expr extra(int64_t d) const {
    if (&kind_ == &kLstm && n_.has_input(7)) return part(7, d);
    if (!resets_product() || !n_.has_input(3)) return absent();
    return gate(part(3, d), 5);  // the last of the biases
  }

  Expr direction(int64_t d) const {
    std::vector<Expr> args{input_part(d), in_order(part(2, d)), state(5, d)};
    if (kind_.has_cell) args.push_back(state(6, d));
    if (&kind_ != &kRnn) args.push_back(extra(d));
    if (n_.has_input(4) && !are_all_whole()) args.push_back(n_.tensor(4));
    AttrMap attrs{{"activations", of_direction(words_, d)},
                  {"alphas", of_direction(alphas_, d)},
                  {"betas", of_direction(betas_, d)},
                  {"clip", n_.float_attr("clip", 0)},
                  {"reverse", starts_in_reverse_ || d == 1}};
    if (&kind_ == &kGru) attrs["resets_product"] = resets_product();
    if (&kind_ == &kLstm) attrs["couples_gates"] = n_.int_attr("input_forget", 0) != 0;
    return n_.call(kind_.op, std::move(args), std::move(attrs));
  }

  const NodeContext& n_;
  const Kind& kind_;
  int64_t directions_;
  bool starts_in_reverse_, batch_is_first_;
  Expr x_;
  Scalar length_, batch_, hidden_;
  AttrList words_, alphas_, betas_;
};

template <const Kind& kind>
Results layer(const NodeContext& n) {
  return Layer(n, kind).results();
}

}  // namespace

std::vector<Converter> recurrent_converters() {
  return {{"RNN", 7, layer<kRnn>, "`R.nn.rnn` of `R.matmul`, `R.concat`"},
          {"GRU", 7, layer<kGru>, "`R.nn.gru` of `R.matmul`, `R.concat`"},
          {"LSTM", 7, layer<kLstm>, "`R.nn.lstm` of `R.matmul`, `R.concat`"}};
}

}  // namespace sunmao::onnx
