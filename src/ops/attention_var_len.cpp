// Lowering of variable-length attention: attention within each of several concatenated sequences.
#include "ops/attention.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

// Builds the statements for one query of one head: finds its sequence, computes the softmax weights over that
// sequence's keys, and writes the weighted mean of their values.
class QueryOfSequence {
 public:
  QueryOfSequence(const InferInput& in, const std::vector<Ref<Buffer>>& inputs, Ref<Buffer> result)
      : in_(in), q_(inputs[0]), k_(inputs[1]), v_(inputs[2]), starts_q_(inputs[3]), starts_k_(inputs[5]),
        y_(std::move(result)), dtype_(accumulator(q_->dtype)),
        scale_(in.attr("scale").is_none() ? intrinsic("rsqrt", Cast::make(dtype_, q_->shape[3]))
                                          : constant(dtype_, in.float_attr("scale"))),
        score_("score", dtype_), top_("top", dtype_), sum_("sum", dtype_),
        out_(Buffer::make("out", dtype_, {v_->shape[3]})) {}

  std::vector<Ref<Buffer>> locals() const {
    return {sequence_.buffer(), score_.buffer(), top_.buffer(), sum_.buffer(), out_};
  }

  Stmt steps(const Indices& at) const {
    Stmt weigh =
        in_order({top_.set(lowest_of(dtype_)), find_top(at), top_.set(softmax_shift(top_.get())), add_weighted(at)});
    return in_order({sequence_.set(int_imm(-1)), find_sequence(at), sum_.set(zero()),
                     each_width([&](const Scalar& d) { return store(out_, {d}, zero()); }),
                     when(at_least(sequence_.get(), int_imm(0)), weigh), write(at)});
  }

 private:
  struct Part {
    Scalar begin, length;
  };
  Scalar zero() const { return constant(dtype_, 0); }
  Scalar scaled() const { return score_.get() * scale_; }
  static Scalar bound(const Ref<Buffer>& starts, const Scalar& i) { return as_index(load(starts, {i})); }
  Part part_of(const Ref<Buffer>& starts) const {
    Scalar begin = bound(starts, sequence_.get());
    return {begin, bound(starts, sequence_.get() + int_imm(1)) - begin};
  }
  template <class Body>
  Stmt each_width(const Body& body) const {
    return repeat("d", v_->shape[3], body);
  }

  Stmt find_sequence(const Indices& at) const {
    return repeat("s", starts_q_->shape[0] - int_imm(1), [&](const Scalar& s) {
      Scalar here = both(at_least(at[1], bound(starts_q_, s)), less(at[1], bound(starts_q_, s + int_imm(1))));
      return when(here, sequence_.set(s));
    });
  }

  // Emits a loop over the keys of the sequence that the query may see. `body` receives the key's index; score_ holds
  // the dot product.
  template <class Body>
  Stmt each_key(const Indices& at, const Body& body) const {
    const Part rows = part_of(starts_q_), columns = part_of(starts_k_);
    return repeat("j", columns.length, [&](const Scalar& j) {
      Scalar key = columns.begin + j;
      Stmt product = repeat("d", q_->shape[3], [&](const Scalar& d) {
        Scalar a = load(q_, {at[0], at[1], at[2], d}), b = load(k_, {at[0], key, at[2], d});
        return score_.set(score_.get() + cast_to(dtype_, a) * cast_to(dtype_, b));
      });
      Stmt all = in_order({score_.set(zero()), product, body(key)});
      Scalar seen = visible_score(in_, at[1] - rows.begin, j, rows.length, columns.length);
      return seen ? when(seen, all) : all;
    });
  }

  Stmt find_top(const Indices& at) const {
    return each_key(at, [&](const Scalar&) { return top_.set(max(top_.get(), scaled())); });
  }

  Stmt add_weighted(const Indices& at) const {
    return each_key(at, [&](const Scalar& key) {
      Stmt add = each_width([&](const Scalar& d) {
        Scalar value = cast_to(dtype_, load(v_, {at[0], key, at[2], d}));
        return store(out_, {d}, load(out_, {d}) + score_.get() * value);
      });
      return in_order({score_.set(intrinsic("exp", scaled() - top_.get())), sum_.set(sum_.get() + score_.get()), add});
    });
  }

  // A query whose keys are all masked, or which lies beyond the last sequence, yields 0.
  Stmt write(const Indices& at) const {
    return each_width([&](const Scalar& d) {
      Scalar value = choose(equals(sum_.get(), zero()), zero(), divide(load(out_, {d}), sum_.get()));
      return store(y_, {at[0], at[1], at[2], d}, value);
    });
  }

  const InferInput& in_;
  const Ref<Buffer> q_, k_, v_, starts_q_, starts_k_, y_;
  const DType dtype_;
  const Scalar scale_;
  const Cell sequence_{"sequence", DType::int_(64)};
  const Cell score_, top_, sum_;
  const Ref<Buffer> out_;
};

}  // namespace

Ref<BaseFunc> lower_attention_var_len(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("attention_var_len");
  std::vector<Ref<Buffer>> inputs;
  for (const char* name : {"queries", "keys", "values", "seqstart_q", "max_seqlen_q", "seqstart_k", "max_seqlen_k"})
    inputs.push_back(k.input(name, call.args[inputs.size()]->type));
  Ref<Buffer> y = k.output("T_attention", call.type);
  const QueryOfSequence query(in, inputs, y);
  k.steps({.name = "attention_var_len",
           .spatial = {y->shape[0], y->shape[1], y->shape[2]},
           .reads = inputs,
           .writes = {y},
           .locals = query.locals(),
           .body = [&](const Indices& at) { return query.steps(at); }});
  return std::move(k).finish();
}

}  // namespace sunmao
