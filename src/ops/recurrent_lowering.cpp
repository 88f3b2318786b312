// Kernels of recurrent layers: the sequences of a batch are independent, each runs sequentially over time. A few of
// them take a step together, for each reads all of the weight. Threads divide the rows of a step's product. A
// weight that is known ahead of time lies in panels of rows, another is read as it was given.
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
  if (f.name == "elu") return positive(x, number(f.alpha) * exp_less_one(min(x, number(0))));
  if (f.name == "softsign") return divide(x, number(1) + intrinsic("abs", x));
  // softplus, in a form in which no exponential overflows
  return max(x, number(0)) + intrinsic("log1p", intrinsic("exp", number(0) - intrinsic("abs", x)));
}

/// A sequence that takes a step: the number of the step and its time, the sequence's number in the batch and among
/// those that take the step together.
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
    members_ = members_together();
    if (form == WeightForm::Panels && find_int(size) && *find_int(size) >= kLanes) store_panels(gates);
    state.push_back(vector("h", size));
    if (last_.size() == 2) state.push_back(vector("c", size));
  }

  const InferInput in;
  DType wide;
  Scalar size;                     // the hidden size
  std::vector<Ref<Buffer>> state;  // the hidden state, then the cell state of an LSTM

  /// Adds a local buffer, with a row for each sequence that takes a step.
  Ref<Buffer> vector(const std::string& name, const Scalar& length) {
    locals_.push_back(Buffer::make(name, wide, {int_imm(members_), in.analyzer().simplify(length)}));
    return locals_.back();
  }
  Ref<Buffer> rows(const std::string& name, int64_t gates) { return vector(name, size * int_imm(gates)); }
  bool has(size_t input) const { return static_cast<bool>(inputs_[input]); }
  Scalar element(size_t input, Indices at) const { return cast_to(wide, load(inputs_[input], std::move(at))); }
  /// Returns the input's contribution to row `j` of the gates.
  Scalar gate(const Member& m, const Scalar& j) const { return element(0, {m.time, m.sequence, j}); }
  Scalar row(int64_t gate, const Scalar& k) const { return size * int_imm(gate) + k; }

  /// target[j] = weight[j] * source (a matrix-vector product), for the rows of `count` gates starting with gate
  /// `first`.
  Stmt multiply(const Ref<Buffer>& source, const Ref<Buffer>& target, int64_t first, int64_t count) const {
    const int64_t* hidden = find_int(size);
    if (panels_) return multiply_panels(source, target, *hidden * first, *hidden * count);
    if (!hidden) return dot_products(source, target, size * int_imm(first), size * int_imm(count), 1);
    const int64_t rows = *hidden * count, together = rows_together();
    const int64_t tasks = rows / kRowsOfTask, left = rows % kRowsOfTask, alone = left % together;
    const Scalar start = int_imm(*hidden * first);
    const Ref<SymVar> task = SymVar::make("task", DType::int_(64));
    const Stmt of_task =
        dot_products(source, target, start + task * int_imm(kRowsOfTask), int_imm(kRowsOfTask / together), together);
    return in_order({For::make(task, int_imm(tasks), of_task, kind_of_tasks(rows)),
                     dot_products(source, target, start + int_imm(rows - left), int_imm(left / together), together),
                     dot_products(source, target, start + int_imm(rows - alone), int_imm(alone), 1)});
  }
  Scalar activate(size_t i, const Scalar& x) const {
    const double clip = in.float_attr("clip");
    return activated(activations[i], clip > 0 ? max(min(x, constant(wide, clip)), constant(wide, -clip)) : x);
  }

  /// Returns the output activation of the cell state: the last activation, without clipping.
  Scalar shown(const Scalar& x) const { return activated(activations.back(), x); }

  /// Emits body(m, k) for each k below the hidden size and each sequence m that has not ended.
  template <class Body>
  Stmt update(const Scalar& step, const Scalar& first, const Body& body) const {
    return each_member(step, first, [&](const Member& m) {
      Stmt all = repeat("k", size, [&](const Scalar& k) { return body(m, k); });
      return has(lengths_) ? when(less(m.step, count_of(m.sequence)), all) : all;
    });
  }

  /// Makes the kernel; `advance(step, first)` emits the statements that advance the states of the sequences from number
  /// `first` on.
  template <class Advance>
  Ref<BaseFunc> finish(const Advance& advance) {
    std::vector<Ref<Buffer>> reads, writes{out_};
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i]) reads.push_back(i == 1 && panels_ ? panels_ : inputs_[i]);
    writes.insert(writes.end(), last_.begin(), last_.end());
    builder_.steps({.name = in.op.name().substr(3),
                    .spatial = {in.analyzer().simplify(floor_div(out_->shape[1], int_imm(members_)))},
                    .reads = std::move(reads),
                    .writes = std::move(writes),
                    .locals = locals_,
                    .body = [&](const Indices& at) { return sequences(at[0] * int_imm(members_), advance); }});
    builder_.attr("scan", true);
    return std::move(builder_).finish();
  }

 private:
  static constexpr int64_t kLanes = 16, kRowsOfTask = 32, kMostMembers = 4;
  static constexpr int64_t kWorthThreads = 1 << 18;  // multiply-adds: about 5 microseconds of one core

  int64_t members_together() const {
    const int64_t* batch = find_int(out_->shape[1]);
    int64_t members = batch && find_int(size) ? kMostMembers : 1;
    while (members > 1 && *batch % members != 0) members /= 2;
    return members;
  }
  /// Each row has sums for each sequence, which stay in registers; AVX2 needs two of 16 for a vector of kLanes.
  int64_t rows_together() const { return kMostMembers / members_; }

  ForKind kind_of_tasks(int64_t rows) const {
    return rows * *find_int(size) * members_ >= kWorthThreads ? ForKind::Parallel : ForKind::Serial;
  }

  /// Rows of a panel, whose sums for each sequence stay in registers: 12 of AVX2, 8 for a sequence alone.
  int64_t width() const { return members_ == 1 ? 64 : 96 / members_; }

  /// Stores the weight in panels: the rows of each are next to each other in every column, and columns follow each
  /// other. No panel crosses a multiple of `gates` gates. What is left of these is a narrower panel.
  void store_panels(int64_t gates) {
    const int64_t hidden = *find_int(size), rows = *find_int(inputs_[1]->shape[0]);
    part_ = gates * hidden % width() == 0 ? rows : gates * hidden;
    panels_ = builder_.alloc("panels", inputs_[1]->dtype, {int_imm(rows * hidden)});
    builder_.relayout(inputs_[1], panels_, [&](const Indices& at) {
      const Scalar in_part = floor_mod(at[0], int_imm(part_)), row = floor_mod(in_part, int_imm(width()));
      const Scalar start = in_part - row;
      const Scalar count = part_ % width() == 0 ? int_imm(width()) : min(int_imm(width()), int_imm(part_) - start);
      return Indices{(at[0] - row) * size + at[1] * count + row};
    });
  }

  /// target[j] = weight[j] * source for `count` rows from row `first` on.
  Stmt multiply_panels(const Ref<Buffer>& source, const Ref<Buffer>& target, int64_t first, int64_t count) const {
    std::vector<Stmt> all;
    for (int64_t done = 0; done < count; done += part_) {
      const int64_t rows = std::min(part_, count - done), left = rows % width();
      const Ref<SymVar> task = SymVar::make("task", DType::int_(64));
      const auto panel = [&](const Scalar& row, int64_t in_panel) {
        return multiply_panel(source, target, int_imm(first + done) + row, in_panel);
      };
      all.push_back(
          For::make(task, int_imm(rows / width()), panel(task * int_imm(width()), width()), kind_of_tasks(count)));
      if (left > 0) all.push_back(panel(int_imm(rows - left), left));
    }
    return in_order(std::move(all));
  }

  /// The product of the panel that starts with row `start`: lanes are rows, and each column is multiplied by its
  /// element of `source`.
  Stmt multiply_panel(const Ref<Buffer>& source, const Ref<Buffer>& target, const Scalar& start, int64_t rows) const {
    const Ref<Buffer> sums = Buffer::make("sums", wide, {int_imm(rows * members_)}, {.scope = "local"});
    const Ref<SymVar> k = SymVar::make("k", DType::int_(64));
    std::vector<Stmt> begin, add, end;
    const auto vector = [&](int64_t m, int64_t row, int64_t count) {
      const auto at = [&](const Scalar& lane) { return Indices{int_imm(m * rows + row) + lane}; };
      begin.push_back(lanes(count, [&](const Scalar& l) { return store(sums, at(l), constant(wide, 0)); }));
      add.push_back(lanes(count, [&](const Scalar& l) {
        const Scalar weight = load(panels_, {start * size + k * int_imm(rows) + int_imm(row) + l});
        return store(sums, at(l), load(sums, at(l)) + cast_to(wide, weight) * load(source, {int_imm(m), k}));
      }));
      end.push_back(lanes(count, [&](const Scalar& l) {
        return store(target, {int_imm(m), start + int_imm(row) + l}, load(sums, at(l)));
      }));
    };
    // What an inner loop reads stays in registers: the elements of `source`, or the weights where these are fewer.
    const auto rows_of = [&](int64_t first, int64_t last) {
      for (int64_t row = 0, count = kLanes; row < rows; row += count) {
        while (count > rows - row) count /= 2;
        for (int64_t m = first; m < last; ++m) vector(m, row, count);
      }
    };
    const int64_t inner = members_ == kMostMembers ? 1 : members_;
    for (int64_t m = 0; m < members_; m += inner) rows_of(m, m + inner);
    begin.push_back(For::make(k, size, in_order(std::move(add))));
    begin.insert(begin.end(), end.begin(), end.end());
    return AllocBuffer::make(sums, in_order(std::move(begin)));
  }

  /// The dot products of `turns` times `rows` rows of the weight with `source`: in each row kLanes sums over the
  /// columns, which are added up, and the columns that are left one by one.
  Stmt dot_products(const Ref<Buffer>& source, const Ref<Buffer>& target, const Scalar& start, const Scalar& turns,
                    int64_t rows) const {
    const Ref<Buffer> sums = Buffer::make("sums", wide, {int_imm(rows * members_ * kLanes)}, {.scope = "local"});
    const Scalar vectors = in.analyzer().simplify(floor_div(size, int_imm(kLanes)));
    return repeat("j", turns, [&](const Scalar& turn) {
      const Ref<SymVar> vector = SymVar::make("v", DType::int_(64));
      std::vector<Stmt> begin, add, end;
      for (int64_t i = 0; i < rows * members_; ++i) {
        const Scalar row = start + turn * int_imm(rows) + int_imm(i / members_), member = int_imm(i % members_);
        const auto at = [&](const Scalar& lane) { return Indices{int_imm(i * kLanes) + lane}; };
        const auto term = [&](const Scalar& k) { return element(1, {row, k}) * load(source, {member, k}); };
        begin.push_back(lanes(kLanes, [&](const Scalar& l) { return store(sums, at(l), constant(wide, 0)); }));
        add.push_back(lanes(kLanes, [&](const Scalar& l) {
          return store(sums, at(l), load(sums, at(l)) + term(vector * int_imm(kLanes) + l));
        }));
        for (int64_t half = kLanes / 2; half > 0; half /= 2)
          end.push_back(lanes(half, [&](const Scalar& l) {
            return store(sums, at(l), load(sums, at(l)) + load(sums, at(int_imm(half) + l)));
          }));
        end.push_back(store(target, {member, row}, load(sums, at(int_imm(0)))));
        end.push_back(repeat("k", size - vectors * int_imm(kLanes), [&](const Scalar& k) {
          return store(target, {member, row}, load(target, {member, row}) + term(vectors * int_imm(kLanes) + k));
        }));
      }
      begin.push_back(For::make(vector, vectors, in_order(std::move(add))));
      begin.insert(begin.end(), end.begin(), end.end());
      return AllocBuffer::make(sums, in_order(std::move(begin)));
    });
  }

  template <class Body>
  static Stmt lanes(int64_t count, const Body& body) {
    const Ref<SymVar> lane = SymVar::make("l", DType::int_(64));
    return For::make(lane, int_imm(count), body(lane), count > 1 ? ForKind::Vectorized : ForKind::Serial);
  }

  /// Returns the number of steps of a sequence.
  Scalar count_of(const Scalar& sequence) const {
    const Scalar steps = out_->shape[0];
    return has(lengths_) ? checked(call_, as_index(load(inputs_[lengths_], {sequence})), steps + int_imm(1)) : steps;
  }

  /// Emits body(m) for each sequence m from number `first` on.
  template <class Body>
  Stmt each_member(const Scalar& step, const Scalar& first, const Body& body) const {
    const auto member = [&](const Scalar& number) {
      const Scalar sequence = first + number;
      const Scalar time = in.bool_attr("reverse") ? count_of(sequence) - int_imm(1) - step : step;
      return body(Member{step, time, sequence, number});
    };
    return members_ == 1 ? member(int_imm(0)) : repeat("m", int_imm(members_), member);
  }

  template <class Advance>
  Stmt sequences(const Scalar& first, const Advance& advance) const {
    const auto states = [&](const auto& body) {
      return each_member(int_imm(0), first, [&](const Member& m) {
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
    Stmt run = repeat("s", out_->shape[0], [&](const Scalar& step) {
      return in_order({advance(step, first), each_member(step, first, [&](const Member& m) { return output(m); })});
    });
    Stmt end = states([&](const Member& m, const Scalar& k, size_t i) {
      return store(last_[i], {m.sequence, k}, load(state[i], {m.number, k}));
    });
    return in_order({start, run, end});
  }

  Stmt output(const Member& m) const {
    Stmt live = repeat("k", size, [&](const Scalar& k) {
      return store(out_, {m.time, m.sequence, k}, load(state[0], {m.number, k}));
    });
    if (!has(lengths_)) return live;
    Stmt clear = repeat(
        "k", size, [&](const Scalar& k) { return store(out_, {m.step, m.sequence, k}, constant(out_->dtype, 0)); });
    return when(less(m.step, count_of(m.sequence)), live, clear);
  }

  const Call& call_;
  KernelBuilder builder_;
  const std::vector<Activation> activations;
  std::vector<Ref<Buffer>> inputs_, last_, locals_;
  Ref<Buffer> out_;
  Ref<Buffer> panels_;    // the weight in panels; none where it is read as it was given
  int64_t part_ = 0;      // rows of the weight that no panel leaves
  const size_t lengths_;  // the input of lengths
  int64_t members_ = 1;   // sequences that take a step together
};

Ref<BaseFunc> rnn_kernel(const Call& call, WeightForm form) {
  Layer layer(call, form, 3, 1);
  const Ref<Buffer> product = layer.rows("product", 1), hidden = layer.state[0];
  return layer.finish([&](const Scalar& step, const Scalar& first) {
    Stmt update = layer.update(step, first, [&](const Member& m, const Scalar& k) {
      return store(hidden, {m.number, k}, layer.activate(0, layer.gate(m, k) + load(product, {m.number, k})));
    });
    return in_order({layer.multiply(hidden, product, 0, 1), update});
  });
}

Ref<BaseFunc> gru_kernel(const Call& call, WeightForm form) {
  const bool resets_product = input_of(call).bool_attr("resets_product");
  Layer layer(call, form, 4, resets_product ? 3 : 1);
  const Ref<Buffer> product = layer.rows("product", 3), reset = layer.rows("reset", 1), old = layer.state[0];
  const auto sum = [&](const Member& m, int64_t gate, const Scalar& k) {
    return layer.gate(m, layer.row(gate, k)) + load(product, {m.number, layer.row(gate, k)});
  };
  return layer.finish([&](const Scalar& step, const Scalar& first) {
    Stmt products = layer.multiply(old, product, 0, resets_product ? 3 : 2);
    Stmt resets = layer.update(step, first, [&](const Member& m, const Scalar& k) {
      Scalar r = layer.activate(0, sum(m, 0, k));
      return store(reset, {m.number, k}, resets_product ? r : r * load(old, {m.number, k}));
    });
    Stmt update = layer.update(step, first, [&](const Member& m, const Scalar& k) {
      const Scalar row = layer.row(2, k);
      Scalar part = load(product, {m.number, row});
      if (layer.has(3)) part = part + layer.element(3, {k});
      if (resets_product) part = load(reset, {m.number, k}) * part;
      return let("z", layer.activate(0, sum(m, 1, k)), [&](const Scalar& z) {
        Scalar fresh = layer.activate(1, layer.gate(m, row) + part);
        return store(old, {m.number, k}, (constant(layer.wide, 1) - z) * fresh + z * load(old, {m.number, k}));
      });
    });
    if (resets_product) return in_order({products, resets, update});
    return in_order({products, resets, layer.multiply(reset, product, 2, 1), update});
  });
}

Ref<BaseFunc> lstm_kernel(const Call& call, WeightForm form) {
  Layer layer(call, form, 5, 4);
  const Ref<Buffer> product = layer.rows("product", 4), hidden = layer.state[0], cell = layer.state[1];
  return layer.finish([&](const Scalar& step, const Scalar& first) {
    Stmt update = layer.update(step, first, [&](const Member& m, const Scalar& k) {
      const Indices at{m.number, k};
      auto gate = [&](int64_t i, int64_t peephole) {
        Scalar sum = layer.gate(m, layer.row(i, k)) + load(product, {m.number, layer.row(i, k)});
        return layer.has(4) && peephole >= 0 ? sum + layer.element(4, {layer.row(peephole, k)}) * load(cell, at) : sum;
      };
      return let("i", layer.activate(0, gate(0, 0)), [&](const Scalar& i) {
        Scalar forget =
            layer.in.bool_attr("couples_gates") ? constant(layer.wide, 1) - i : layer.activate(0, gate(1, 2));
        Stmt remember = store(cell, at, forget * load(cell, at) + i * layer.activate(1, gate(2, -1)));
        Stmt give = store(hidden, at, layer.activate(0, gate(3, 1)) * layer.shown(load(cell, at)));
        return in_order({remember, give});
      });
    });
    return in_order({layer.multiply(hidden, product, 0, 4), update});
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
