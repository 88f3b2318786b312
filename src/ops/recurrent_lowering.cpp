// Kernels of recurrent layers: the sequences of a batch are independent, each runs sequentially over time, and a few of
// them take a step together. Threads divide the groups of sequences, or the rows of a step's product where that is
// large. A weight that is known ahead of time lies in panels of rows, another is read as it was given.
#include "ops/recurrent.h"
#include "ops/recurrent_product.h"
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
  if (f.name == "elu") return positive(x, number(f.alpha) * exp_less_one(min(x, number(0))));
  if (f.name == "softsign") return divide(x, number(1) + intrinsic("abs", x));
  // softplus, in a form in which no exponential overflows
  return max(x, number(0)) + intrinsic("log1p", intrinsic("exp", number(0) - intrinsic("abs", x)));
}

/// Sequences that take a step together, `count` of them from number `first` on.
struct Group {
  Scalar first, count;
};

/// A sequence that takes a step: the number of the step and its time, the sequence's number in the batch and in its
/// group.
struct Member {
  Scalar step, time, sequence, number;
};

/// How a kernel reads the weight: as it was given, or in panels of rows, which it stores first.
enum class WeightForm : uint8_t { Given, Panels };

class Layer {
 public:
  /// `lengths` is the number of the input of lengths; `gates` is how many gates a product may start behind.
  Layer(const Call& call, WeightForm form, size_t lengths, int64_t gates)
      : in(input_of(call)), call_(call), builder_(in.op.name().substr(3)), activations(activations_of(in)),
        lengths_(lengths) {
    for (size_t i = 0; i < in.args.size(); ++i)
      inputs_.push_back(in.has(i) ? builder_.input(in.op.inputs()[i]->name, call.args[i]->type) : Ref<Buffer>());
    inputs_.resize(in.op.inputs().size());
    const auto* results = find<TupleType>(call.type);
    out_ = builder_.output("T_out", results->fields[0]);
    for (size_t i = 1; i < results->fields.size(); ++i)
      last_.push_back(builder_.output(i == 1 ? "T_hidden" : "T_cell", results->fields[i]));
    wide = accumulator(out_->dtype);
    size = inputs_[1]->shape[1];
    groups_ = sequence_groups(out_->shape[1], size);
    weight_.emplace(inputs_[1], wide);
    if (form == WeightForm::Panels) weight_->store_panels(builder_, groups_, gates);
    state.push_back(vector("h", size));
    if (last_.size() == 2) state.push_back(vector("c", size));
  }

  const InferInput in;
  DType wide;
  Scalar size;                     // the hidden size
  std::vector<Ref<Buffer>> state;  // the hidden state, then the cell state of an LSTM

  /// Adds a local buffer, with a row for each sequence that takes a step.
  Ref<Buffer> vector(const std::string& name, const Scalar& length) {
    locals_.push_back(Buffer::make(name, wide, {int_imm(groups_.members), in.analyzer().simplify(length)}));
    return locals_.back();
  }
  Ref<Buffer> rows(const std::string& name, int64_t gates) { return vector(name, row(gates)); }
  bool has(size_t input) const { return static_cast<bool>(inputs_[input]); }
  Scalar element(size_t input, Indices at) const { return cast_to(wide, load(inputs_[input], std::move(at))); }
  /// Returns the input's contribution to row `j` of the gates.
  Scalar gate(const Member& m, const Scalar& j) const { return element(0, {m.time, m.sequence, j}); }
  Scalar row(int64_t gate, const Scalar& k = int_imm(0)) const { return size * int_imm(gate) + k; }

  /// target[m, j] = weight[j] * source[m], for the rows of `count` gates starting with gate `first`. There is a form
  /// for each number of sequences that a group may have.
  Stmt multiply(const Group& g, const Ref<Buffer>& source, const Ref<Buffer>& target, int64_t first,
                int64_t count) const {
    const auto of = [&](int64_t members) {
      return weight_->multiply(source, target,
                               {.first = first, .count = count, .members = members, .tasks = kind_of_tasks(count)});
    };
    const Scalar left = as_index(out_->shape[1]) - g.first;
    Stmt forms;
    for (size_t i = groups_.rest.size(); i-- > 0;) {
      const int64_t members = groups_.rest[i];
      forms = forms ? when(above(left, int_imm(members - 1)), of(members), forms) : of(members);
    }
    return forms ? when(above(left, int_imm(groups_.members - 1)), of(groups_.members), forms) : of(groups_.members);
  }
  Scalar activate(size_t i, const Scalar& x) const {
    const double clip = in.float_attr("clip");
    return activated(activations[i], clip > 0 ? max(min(x, constant(wide, clip)), constant(wide, -clip)) : x);
  }

  /// Returns the output activation of the cell state: the last activation, without clipping.
  Scalar shown(const Scalar& x) const { return activated(activations.back(), x); }

  /// Emits body(m) for each sequence m of a group that has not ended.
  template <class Body>
  Stmt update(const Group& g, const Scalar& step, const Body& body) const {
    return each_member(g, step, [&](const Member& m) {
      return has(lengths_) ? when(less(m.step, count_of(m.sequence)), body(m)) : body(m);
    });
  }

  /// Emits target[m, k] = value(k) for all units k.
  template <class Value>
  Stmt each_unit(const Member& m, const Ref<Buffer>& target, const Value& value) const {
    return for_each_unit(size, [&](const Scalar& k) { return store(target, {m.number, k}, value(k)); });
  }

  /// Makes of the products of `count` gates, from gate `first` on, what activation `i` makes of their sums with the
  /// input's contributions, and with extra(k), where that is not null.
  template <class Extra>
  Stmt open(const Member& m, const Ref<Buffer>& product, int64_t first, int64_t count, size_t i,
            const Extra& extra) const {
    return for_each_unit(in.analyzer().simplify(row(count)), [&](const Scalar& k) {
      const Indices at{m.number, row(first, k)};
      const Scalar sum = gate(m, at[1]) + load(product, at), more = extra(k);
      return store(product, at, activate(i, more ? sum + more : sum));
    });
  }
  Stmt open(const Member& m, const Ref<Buffer>& product, int64_t first, int64_t count, size_t i) const {
    return open(m, product, first, count, i, [](const Scalar&) { return Scalar(); });
  }

  /// Makes the kernel; `advance(step, group)` emits the statements that advance the states of a group.
  template <class Advance>
  Ref<BaseFunc> finish(const Advance& advance) {
    std::vector<Ref<Buffer>> reads, writes{out_};
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i]) reads.push_back(i == 1 ? weight_->buffer() : inputs_[i]);
    writes.insert(writes.end(), last_.begin(), last_.end());
    builder_.steps({.name = in.op.name().substr(3),
                    .spatial = {in.analyzer().simplify(groups_.count)},
                    .reads = std::move(reads),
                    .writes = std::move(writes),
                    .locals = locals_,
                    .body = [&](const Indices& at) { return sequences(group(at[0]), advance); }});
    builder_.attr("scan", true);
    return std::move(builder_).finish();
  }

 private:
  /// Threads divide the rows of a product that takes more multiply-adds than this: about 5 microseconds of one core.
  /// They divide the groups where there are several, which needs no waiting within a step, unless a step takes some 80
  /// microseconds.
  static constexpr int64_t kWorthThreads = 1 << 18, kWorthThreadsInGroups = 1 << 22;

  ForKind kind_of_tasks(int64_t gates) const {
    const int64_t* hidden = find_int(size);
    if (!hidden) return ForKind::Serial;
    const int64_t *batch = find_int(out_->shape[1]), *groups = find_int(groups_.count);
    const int64_t least = gates * *hidden * *hidden * (batch ? groups_.members : 1);
    const bool is_alone = !groups || *groups <= 1;
    return least >= (is_alone ? kWorthThreads : kWorthThreadsInGroups) ? ForKind::Parallel : ForKind::Serial;
  }

  /// Returns the number of steps of a sequence.
  Scalar count_of(const Scalar& sequence) const {
    const Scalar steps = out_->shape[0];
    return has(lengths_) ? checked(call_, as_index(load(inputs_[lengths_], {sequence})), steps + int_imm(1)) : steps;
  }

  /// Emits body(m) for each sequence m of a group.
  template <class Body>
  Stmt each_member(const Group& g, const Scalar& step, const Body& body) const {
    const auto member = [&](const Scalar& number) {
      const Scalar sequence = g.first + number;
      const Scalar time = in.bool_attr("reverse") ? count_of(sequence) - int_imm(1) - step : step;
      return body(Member{step, time, sequence, number});
    };
    return groups_.members == 1 ? member(int_imm(0)) : repeat("m", g.count, member);
  }

  Group group(const Scalar& number) const {
    const Scalar first = number * int_imm(groups_.members), most = int_imm(groups_.members);
    return {first, groups_.rest.empty() ? most : min(most, as_index(out_->shape[1]) - first)};
  }

  template <class Advance>
  Stmt sequences(const Group& g, const Advance& advance) const {
    const auto states = [&](const auto& body) {
      return each_member(g, int_imm(0), [&](const Member& m) {
        return repeat("k", size, [&](const Scalar& k) {
          std::vector<Stmt> all;
          for (size_t i = 0; i < state.size(); ++i) all.push_back(body(m, k, i));
          return in_order(std::move(all));
        });
      });
    };
    Stmt start = states([&](const Member& m, const Scalar& k, size_t i) {
      return store(state[i], {m.number, k}, element(i + 2, {m.sequence, k}));
    });
    const auto run = [&](const Scalar& longest) {
      return repeat("s", out_->shape[0], [&](const Scalar& step) {
        Stmt live = in_order({advance(step, g), each_member(g, step, [&](const Member& m) { return output(m); })});
        if (!longest) return live;
        return when(less(step, longest), live, each_member(g, step, [&](const Member& m) { return cleared(m); }));
      });
    };
    Stmt end = states([&](const Member& m, const Scalar& k, size_t i) {
      return store(last_[i], {m.sequence, k}, load(state[i], {m.number, k}));
    });
    if (!has(lengths_)) return in_order({start, run(nullptr), end});
    Scalar longest = count_of(g.first);
    for (int64_t m = 1; m < groups_.members; ++m)
      longest =
          max(longest, count_of(g.first + (groups_.rest.empty() ? int_imm(m) : min(int_imm(m), g.count - int_imm(1)))));
    return let("longest", longest, [&](const Scalar& steps) { return in_order({start, run(steps), end}); });
  }

  Stmt output(const Member& m) const {
    Stmt live = for_each_unit(
        size, [&](const Scalar& k) { return store(out_, {m.time, m.sequence, k}, load(state[0], {m.number, k})); });
    return has(lengths_) ? when(less(m.step, count_of(m.sequence)), live, cleared(m)) : live;
  }
  Stmt cleared(const Member& m) const {
    return for_each_unit(
        size, [&](const Scalar& k) { return store(out_, {m.step, m.sequence, k}, constant(out_->dtype, 0)); });
  }

  const Call& call_;
  KernelBuilder builder_;
  const std::vector<Activation> activations;
  std::vector<Ref<Buffer>> inputs_, last_, locals_;
  Ref<Buffer> out_;
  std::optional<RecurrentWeight> weight_;
  const size_t lengths_;  // the input of lengths
  SequenceGroups groups_;
};

Ref<BaseFunc> rnn_kernel(const Call& call, WeightForm form) {
  Layer layer(call, form, 3, 1);
  const Ref<Buffer> product = layer.rows("product", 1), hidden = layer.state[0];
  return layer.finish([&](const Scalar& step, const Group& g) {
    Stmt update = layer.update(g, step, [&](const Member& m) {
      return layer.each_unit(m, hidden, [&](const Scalar& k) {
        return layer.activate(0, layer.gate(m, k) + load(product, {m.number, k}));
      });
    });
    return in_order({layer.multiply(g, hidden, product, 0, 1), update});
  });
}

Ref<BaseFunc> gru_kernel(const Call& call, WeightForm form) {
  const bool resets_product = input_of(call).bool_attr("resets_product");
  Layer layer(call, form, 4, resets_product ? 3 : 1);
  const Ref<Buffer> product = layer.rows("product", 3), hidden = layer.state[0];
  const Ref<Buffer> reset = resets_product ? product : layer.rows("reset", 1);
  // The new gate's part of the state, with the bias that is reset with it.
  const auto of_state = [&](const Member& m, const Scalar& k) {
    const Scalar part = load(product, {m.number, layer.row(2, k)});
    return layer.has(3) ? part + layer.element(3, {k}) : part;
  };
  return layer.finish([&](const Scalar& step, const Group& g) {
    Stmt resets = layer.update(g, step, [&](const Member& m) {
      Stmt gates = layer.open(m, product, 0, 2, 0);
      if (resets_product) return gates;
      return in_order({gates, layer.each_unit(m, reset, [&](const Scalar& k) {
                         return load(product, {m.number, k}) * load(hidden, {m.number, k});
                       })});
    });
    Stmt update = layer.update(g, step, [&](const Member& m) {
      return layer.each_unit(m, hidden, [&](const Scalar& k) {
        const Scalar part = of_state(m, k), z = load(product, {m.number, layer.row(1, k)});
        const Scalar fresh = layer.activate(
            1, layer.gate(m, layer.row(2, k)) + (resets_product ? load(product, {m.number, k}) * part : part));
        return (constant(layer.wide, 1) - z) * fresh + z * load(hidden, {m.number, k});
      });
    });
    Stmt products = layer.multiply(g, hidden, product, 0, resets_product ? 3 : 2);
    if (resets_product) return in_order({products, resets, update});
    return in_order({products, resets, layer.multiply(g, reset, product, 2, 1), update});
  });
}

Ref<BaseFunc> lstm_kernel(const Call& call, WeightForm form) {
  Layer layer(call, form, 5, 4);
  const Ref<Buffer> product = layer.rows("product", 4), hidden = layer.state[0], cell = layer.state[1];
  const bool couples = layer.in.bool_attr("couples_gates"), peeps = layer.has(4);
  const auto peephole = [&](const Member& m, int64_t i) {
    return [&layer, &cell, &m, i](const Scalar& k) {
      return layer.element(4, {layer.row(i, k)}) * load(cell, {m.number, k});
    };
  };
  return layer.finish([&](const Scalar& step, const Group& g) {
    Stmt update = layer.update(g, step, [&](const Member& m) {
      const auto gate = [&](int64_t i, const Scalar& k) { return load(product, {m.number, layer.row(i, k)}); };
      std::vector<Stmt> all;
      if (peeps) {
        all.push_back(layer.open(m, product, 0, 1, 0, peephole(m, 0)));
        if (!couples) all.push_back(layer.open(m, product, 1, 1, 0, peephole(m, 2)));
      } else {
        all.push_back(layer.open(m, product, 0, couples ? 1 : 2, 0));
      }
      all.push_back(layer.open(m, product, 2, 1, 1));
      all.push_back(layer.each_unit(m, cell, [&](const Scalar& k) {
        const Scalar forget = couples ? constant(layer.wide, 1) - gate(0, k) : gate(1, k);
        return forget * load(cell, {m.number, k}) + gate(0, k) * gate(2, k);
      }));
      all.push_back(peeps ? layer.open(m, product, 3, 1, 0, peephole(m, 1)) : layer.open(m, product, 3, 1, 0));
      all.push_back(layer.each_unit(
          m, hidden, [&](const Scalar& k) { return gate(3, k) * layer.shown(load(cell, {m.number, k})); }));
      return in_order(std::move(all));
    });
    return in_order({layer.multiply(g, hidden, product, 0, 4), update});
  });
}

}  // namespace

Ref<BaseFunc> lower_rnn(const Call& call) { return rnn_kernel(call, WeightForm::Given); }
Ref<BaseFunc> lower_gru(const Call& call) { return gru_kernel(call, WeightForm::Given); }
Ref<BaseFunc> lower_lstm(const Call& call) { return lstm_kernel(call, WeightForm::Given); }

Ref<BaseFunc> lower_prepared_rnn(const Call& call) { return rnn_kernel(call, WeightForm::Panels); }
Ref<BaseFunc> lower_prepared_gru(const Call& call) { return gru_kernel(call, WeightForm::Panels); }
Ref<BaseFunc> lower_prepared_lstm(const Call& call) { return lstm_kernel(call, WeightForm::Panels); }

}  // namespace sunmao
