// Kernels of recurrent layers: the sequences of a batch are independent, each runs sequentially over time.
#include "ops/recurrent.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

Scalar activated(const Activation& f, const Scalar& x) {
  auto number = [&](double value) { return constant(x->dtype, value); };
  auto positive = [&](const Scalar& then_value, const Scalar& else_value) {
    return Select::make(above(x, number(0)), then_value, else_value);
  };
  if (f.name == "relu") return max(x, number(0));
  if (f.name == "tanh" || f.name == "sigmoid") return intrinsic(f.name, x);
  if (f.name == "affine") return number(f.alpha) * x + number(f.beta);
  if (f.name == "leaky_relu") return positive(x, number(f.alpha) * x);
  if (f.name == "thresholded_relu") return Select::make(above(x, number(f.alpha)), x, number(0));
  if (f.name == "scaled_tanh") return number(f.alpha) * intrinsic("tanh", number(f.beta) * x);
  if (f.name == "hard_sigmoid") return max(min(number(f.alpha) * x + number(f.beta), number(1)), number(0));
  if (f.name == "elu") return positive(x, number(f.alpha) * (intrinsic("exp", min(x, number(0))) - number(1)));
  if (f.name == "softsign") return divide(x, number(1) + intrinsic("abs", x));
  // softplus, in a form in which no exponential overflows
  return max(x, number(0)) + intrinsic("log1p", intrinsic("exp", number(0) - intrinsic("abs", x)));
}

class Layer {
 public:
  explicit Layer(const Call& call)
      : in(input_of(call)), call_(call), builder_(in.op.name().substr(3)), activations(activations_of(in)) {
    for (size_t i = 0; i < in.args.size(); ++i)
      inputs_.push_back(in.has(i) ? builder_.input(in.op.inputs()[i]->name, call.args[i]->type) : Ref<Buffer>());
    inputs_.resize(in.op.inputs().size());
    const auto* results = find<TupleType>(call.type);
    out_ = builder_.output("T_out", results->fields[0]);
    for (size_t i = 1; i < results->fields.size(); ++i)
      last_.push_back(builder_.output(i == 1 ? "T_hidden" : "T_cell", results->fields[i]));
    wide = accumulator(out_->dtype);
    size = inputs_[1]->shape[1];
    state.push_back(vector("h", size));
    if (last_.size() == 2) state.push_back(vector("c", size));
    sums_ = vector("sums", int_imm(kLanes * kRowsTogether));
  }

  const InferInput in;
  DType wide;
  Scalar size;                     // the hidden size
  std::vector<Ref<Buffer>> state;  // the hidden state, then the cell state of an LSTM

  /// Adds a local buffer; each sequence of the batch has its own.
  Ref<Buffer> vector(const std::string& name, const Scalar& length) {
    locals_.push_back(Buffer::make(name, wide, {in.analyzer().simplify(length)}));
    return locals_.back();
  }
  Ref<Buffer> rows(const std::string& name, int64_t gates) { return vector(name, size * int_imm(gates)); }
  bool has(size_t input) const { return static_cast<bool>(inputs_[input]); }
  Scalar element(size_t input, Indices at) const { return cast_to(wide, load(inputs_[input], std::move(at))); }
  /// Returns the input's contribution to row `j` of the gates at time `at[0]`.
  Scalar gate(const Indices& at, const Scalar& j) const { return element(0, {at[0], at[1], j}); }
  Scalar row(int64_t gate, const Scalar& k) const { return size * int_imm(gate) + k; }

  /// target[j] = weight[j] * source (a matrix-vector product), for the rows of `count` gates starting with gate
  /// `first`.
  Stmt multiply(const Ref<Buffer>& source, const Ref<Buffer>& target, int64_t first, int64_t count) const {
    const int64_t* hidden = find_int(size);
    if (!hidden) return dot_products(source, target, size * int_imm(first), size * int_imm(count), 1);
    const int64_t rows = *hidden * count, together = rows / kRowsTogether * kRowsTogether;
    const Scalar start = int_imm(*hidden * first);
    return in_order({dot_products(source, target, start, int_imm(together / kRowsTogether), kRowsTogether),
                     dot_products(source, target, start + int_imm(together), int_imm(rows - together), 1)});
  }
  Scalar activate(size_t i, const Scalar& x) const {
    const double clip = in.float_attr("clip");
    return activated(activations[i], clip > 0 ? max(min(x, constant(wide, clip)), constant(wide, -clip)) : x);
  }

  /// Returns the output activation of the cell state: the last activation, without clipping.
  Scalar shown(const Scalar& x) const { return activated(activations.back(), x); }

  /// Makes the kernel; `step` emits the statements that advance the state by the time step (time, sequence).
  template <class Step>
  Ref<BaseFunc> finish(size_t lengths, const Step& step) {
    std::vector<Ref<Buffer>> reads, writes{out_};
    for (const Ref<Buffer>& input : inputs_)
      if (input) reads.push_back(input);
    writes.insert(writes.end(), last_.begin(), last_.end());
    builder_.steps({.name = in.op.name().substr(3),
                    .spatial = {out_->shape[1]},
                    .reads = std::move(reads),
                    .writes = std::move(writes),
                    .locals = locals_,
                    .body = [&](const Indices& at) { return sequence(at[0], lengths, step); }});
    return std::move(builder_).finish();
  }

 private:
  static constexpr int64_t kLanes = 16, kRowsTogether = 4;

  /// The dot products of `turns` times `rows` rows of the weight with `source`: in each row kLanes sums over the
  /// columns, which are added up, and the columns that are left one by one.
  Stmt dot_products(const Ref<Buffer>& source, const Ref<Buffer>& target, const Scalar& start, const Scalar& turns,
                    int64_t rows) const {
    const auto at = [&](int64_t row, const Scalar& lane) { return Indices{int_imm(row * kLanes) + lane}; };
    const Scalar vectors = in.analyzer().simplify(floor_div(size, int_imm(kLanes)));
    return repeat("j", turns, [&](const Scalar& turn) {
      const Scalar j = start + turn * int_imm(rows);
      std::vector<Stmt> begin, add, end;
      for (int64_t r = 0; r < rows; ++r) {
        begin.push_back(lanes(kLanes, [&](const Scalar& l) { return store(sums_, at(r, l), constant(wide, 0)); }));
        for (int64_t half = kLanes / 2; half > 0; half /= 2)
          end.push_back(lanes(half, [&](const Scalar& l) {
            return store(sums_, at(r, l), load(sums_, at(r, l)) + load(sums_, at(r, int_imm(half) + l)));
          }));
        const Indices row{j + int_imm(r)};
        end.push_back(store(target, row, load(sums_, at(r, int_imm(0)))));
        end.push_back(repeat("k", size - vectors * int_imm(kLanes), [&](const Scalar& i) {
          const Scalar k = vectors * int_imm(kLanes) + i;
          return store(target, row, load(target, row) + element(1, {row[0], k}) * load(source, {k}));
        }));
      }
      begin.push_back(repeat("v", vectors, [&](const Scalar& v) {
        std::vector<Stmt> step;
        for (int64_t r = 0; r < rows; ++r)
          step.push_back(lanes(kLanes, [&](const Scalar& l) {
            const Scalar k = v * int_imm(kLanes) + l;
            return store(sums_, at(r, l), load(sums_, at(r, l)) + element(1, {j + int_imm(r), k}) * load(source, {k}));
          }));
        return in_order(std::move(step));
      }));
      begin.insert(begin.end(), end.begin(), end.end());
      return in_order(std::move(begin));
    });
  }

  template <class Body>
  static Stmt lanes(int64_t count, const Body& body) {
    const Ref<SymVar> lane = SymVar::make("l", DType::int_(64));
    return For::make(lane, int_imm(count), body(lane), count > 1 ? ForKind::Vectorized : ForKind::Serial);
  }

  template <class Step>
  Stmt sequence(const Scalar& b, size_t lengths, const Step& step) {
    const Scalar steps = out_->shape[0];
    const Scalar count =
        has(lengths) ? checked(call_, as_index(load(inputs_[lengths], {b})), steps + int_imm(1)) : steps;
    Stmt start = each([&](const Scalar& k, size_t i) { return store(state[i], {k}, element(i + 2, {b, k})); });
    Stmt run = repeat("s", steps, [&](const Scalar& s) {
      Scalar time = in.bool_attr("reverse") ? count - int_imm(1) - s : s;
      Stmt write = repeat("k", size, [&](const Scalar& k) { return store(out_, {time, b, k}, load(state[0], {k})); });
      Stmt live = in_order({step(Indices{time, b}), write});
      if (!has(lengths)) return live;
      Stmt clear = repeat("k", size, [&](const Scalar& k) { return store(out_, {s, b, k}, constant(out_->dtype, 0)); });
      return when(less(s, count), live, clear);
    });
    Stmt end = each([&](const Scalar& k, size_t i) { return store(last_[i], {b, k}, load(state[i], {k})); });
    return in_order({start, run, end});
  }

  template <class Body>
  Stmt each(const Body& body) {
    return repeat("k", size, [&](const Scalar& k) {
      std::vector<Stmt> all;
      for (size_t i = 0; i < state.size(); ++i) all.push_back(body(k, i));
      return in_order(std::move(all));
    });
  }

  const Call& call_;
  KernelBuilder builder_;
  const std::vector<Activation> activations;
  std::vector<Ref<Buffer>> inputs_, last_, locals_;
  Ref<Buffer> out_, sums_;
};

}  // namespace

Ref<BaseFunc> lower_rnn(const Call& call) {
  Layer layer(call);
  const Ref<Buffer> product = layer.rows("product", 1);
  return layer.finish(3, [&](const Indices& at) {
    Stmt update = repeat("k", layer.size, [&](const Scalar& k) {
      return store(layer.state[0], {k}, layer.activate(0, layer.gate(at, k) + load(product, {k})));
    });
    return in_order({layer.multiply(layer.state[0], product, 0, 1), update});
  });
}

Ref<BaseFunc> lower_gru(const Call& call) {
  Layer layer(call);
  const Ref<Buffer> product = layer.rows("product", 3), reset = layer.rows("reset", 1), old = layer.state[0];
  const bool resets_product = layer.in.bool_attr("resets_product");
  return layer.finish(4, [&](const Indices& at) {
    auto sum = [&](int64_t gate, const Scalar& k) {
      return layer.gate(at, layer.row(gate, k)) + load(product, {layer.row(gate, k)});
    };
    Stmt first = layer.multiply(old, product, 0, resets_product ? 3 : 2);
    Stmt resets = repeat("k", layer.size, [&](const Scalar& k) {
      Scalar r = layer.activate(0, sum(0, k));
      return store(reset, {k}, resets_product ? r : r * load(old, {k}));
    });
    Stmt update = repeat("k", layer.size, [&](const Scalar& k) {
      const Scalar row = layer.row(2, k);
      Scalar part = load(product, {row});
      if (layer.has(3)) part = part + layer.element(3, {k});
      if (resets_product) part = load(reset, {k}) * part;
      return let("z", layer.activate(0, sum(1, k)), [&](const Scalar& z) {
        Scalar fresh = layer.activate(1, layer.gate(at, row) + part);
        return store(old, {k}, (constant(layer.wide, 1) - z) * fresh + z * load(old, {k}));
      });
    });
    if (resets_product) return in_order({first, resets, update});
    return in_order({first, resets, layer.multiply(reset, product, 2, 1), update});
  });
}

Ref<BaseFunc> lower_lstm(const Call& call) {
  Layer layer(call);
  const Ref<Buffer> product = layer.rows("product", 4), hidden = layer.state[0], cell = layer.state[1];
  return layer.finish(5, [&](const Indices& at) {
    Stmt update = repeat("k", layer.size, [&](const Scalar& k) {
      auto gate = [&](int64_t i, int64_t peephole) {
        Scalar sum = layer.gate(at, layer.row(i, k)) + load(product, {layer.row(i, k)});
        return layer.has(4) && peephole >= 0 ? sum + layer.element(4, {layer.row(peephole, k)}) * load(cell, {k}) : sum;
      };
      return let("i", layer.activate(0, gate(0, 0)), [&](const Scalar& i) {
        Scalar forget =
            layer.in.bool_attr("couples_gates") ? constant(layer.wide, 1) - i : layer.activate(0, gate(1, 2));
        Stmt remember = store(cell, {k}, forget * load(cell, {k}) + i * layer.activate(1, gate(2, -1)));
        Stmt give = store(hidden, {k}, layer.activate(0, gate(3, 1)) * layer.shown(load(cell, {k})));
        return in_order({remember, give});
      });
    });
    return in_order({layer.multiply(hidden, product, 0, 4), update});
  });
}

}  // namespace sunmao
