// Linear attention: keys and values accumulate in a state matrix of constant size, which queries read at each time
// step.
#include <fmt/format.h>

#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

// The positions of the inputs of nn.linear_attention.
enum Input : size_t { kQuery, kKey, kValue, kState, kDecay, kBeta };

bool decays(const std::string& rule) { return rule == "gated" || rule == "gated_delta"; }
bool corrects(const std::string& rule) { return rule == "delta" || rule == "gated_delta"; }

Type infer_linear_attention(const InferInput& in) {
  const TensorType &query = in.tensor(kQuery), &key = in.tensor(kKey), &value = in.tensor(kValue);
  for (size_t i = 0; i < in.args.size(); ++i) {
    if (!in.has(i)) continue;
    need_float(in, in.tensor(i));  // C1
    need_one_dtype(in, i, kQuery);
    need_rank(in, i, 4);  // C2
  }
  const std::string rule = word_attr(in, "update_rule", {"linear", "gated", "delta", "gated_delta"});  // C3
  for (const auto& [input, wanted] : {std::pair{kDecay, decays(rule)}, {kBeta, corrects(rule)}})
    if (in.has(input) != wanted)  // C4
      in.error("E0202", fmt::format("rule `{}` {} `{}`", rule, wanted ? "needs" : "has no use for",
                                    in.op.inputs()[input]->name));
  if (!written(query) || !written(key) || !written(value)) {
    const Type unknown = TensorType::make_unknown(query.dtype, 4, query.vdevice);
    return TupleType::make({unknown, unknown});
  }
  const std::vector<Scalar>&q = *written(query), &k = *written(key), &v = *written(value);
  need_dims(in, kKey, {q[0], q[1], nullptr, q[3]});  // C5
  need_dims(in, kValue, {q[0], q[1], k[2], nullptr});
  need_dims(in, kState, {q[0], k[2], k[3], v[3]});
  need_dims(in, kDecay, {q[0], q[1], k[2], nullptr});
  need_dims(in, kBeta, {q[0], q[1], k[2], int_imm(1)});
  if (!in.can_agree(floor_mod(q[2], k[2]), int_imm(0)))
    in.error("E0309",
             fmt::format("{} heads of queries are no multiple of {} heads of keys", describe(q[2]), describe(k[2])));
  if (const std::vector<Scalar>* decay = in.has(kDecay) ? in.tensor(kDecay).dims() : nullptr)
    if (!is_one(decay->back()) && !in.can_agree(decay->back(), k[3]))
      in.error("E0309",
               fmt::format("dimension 3 of `decay` is {}, expected 1 or {}", describe(decay->back()), describe(k[3])));
  return TupleType::make({TensorType::make({q[0], q[1], q[2], v[3]}, query.dtype, query.vdevice),
                          TensorType::make({q[0], k[2], k[3], v[3]}, query.dtype, query.vdevice)});
}

// Builds the statements for one key head of one sequence: the state matrix, and for each time step the queries that
// share it.
class Head {
 public:
  Head(const InferInput& in, std::vector<Ref<Buffer>> inputs, Ref<Buffer> out, Ref<Buffer> last)
      : inputs_(std::move(inputs)), out_(std::move(out)), last_(std::move(last)), wide_(accumulator(out_->dtype)),
        rule_(in.string_attr("update_rule")), rows_(inputs_[kKey]->shape[3]), columns_(inputs_[kValue]->shape[3]),
        scale_(in.attr("scale").is_none() ? intrinsic("rsqrt", Cast::make(wide_, rows_))
                                          : constant(wide_, in.float_attr("scale"))),
        state_(Buffer::make("state", wide_, {rows_, columns_})), sum_("sum", wide_) {}

  std::vector<Ref<Buffer>> locals() const { return {state_, sum_.buffer()}; }

  Stmt steps(const Indices& at) const {
    Stmt start = each([&](const Scalar& i, const Scalar& j) {
      return set(i, j, inputs_[kState] ? element(kState, {at[0], at[1], i, j}) : constant(wide_, 0));
    });
    Stmt run = repeat("t", out_->shape[1], [&](const Scalar& t) {
      std::vector<Stmt> all;
      if (decays(rule_)) all.push_back(decay(at, t));
      all.push_back(add(at, t));
      all.push_back(read(at, t));
      return in_order(std::move(all));
    });
    Stmt end = each([&](const Scalar& i, const Scalar& j) { return store(last_, {at[0], at[1], i, j}, get(i, j)); });
    return in_order({start, run, end});
  }

 private:
  Scalar element(size_t input, Indices at) const { return cast_to(wide_, load(inputs_[input], std::move(at))); }
  Scalar get(const Scalar& i, const Scalar& j) const { return load(state_, {i, j}); }
  Stmt set(const Scalar& i, const Scalar& j, const Scalar& value) const { return store(state_, {i, j}, value); }
  template <class Body>
  Stmt each(const Body& body) const {
    return repeat("i", rows_,
                  [&](const Scalar& i) { return repeat("j", columns_, [&](const Scalar& j) { return body(i, j); }); });
  }
  // sum = dot product of the row weights and column `j` of the state
  template <class Weight>
  Stmt weigh(const Scalar& j, const Weight& weight) const {
    Stmt all = repeat("r", rows_, [&](const Scalar& r) { return sum_.set(sum_.get() + weight(r) * get(r, j)); });
    return in_order({sum_.set(constant(wide_, 0)), all});
  }

  Stmt decay(const Indices& at, const Scalar& t) const {
    const Scalar width = inputs_[kDecay]->shape[3];
    const int64_t* one = find_int(width);
    return each([&](const Scalar& i, const Scalar& j) {
      Scalar factor = element(kDecay, {at[0], t, at[1], one && *one == 1 ? int_imm(0) : i});
      return set(i, j, intrinsic("exp", factor) * get(i, j));
    });
  }
  // state += outer(key, value); with a delta rule state += outer(key, beta * (value - key^T state))
  Stmt add(const Indices& at, const Scalar& t) const {
    auto key = [&](const Scalar& i) { return element(kKey, {at[0], t, at[1], i}); };
    return repeat("j", columns_, [&](const Scalar& j) {
      Scalar value = element(kValue, {at[0], t, at[1], j});
      auto update = [&](const Scalar& added) {
        return repeat("i", rows_, [&](const Scalar& i) { return set(i, j, get(i, j) + key(i) * added); });
      };
      if (!corrects(rule_)) return update(value);
      Scalar correction = element(kBeta, {at[0], t, at[1], int_imm(0)}) * (value - sum_.get());
      return in_order({weigh(j, key), let("added", correction, update)});
    });
  }
  Stmt read(const Indices& at, const Scalar& t) const {
    const Scalar shared = floor_div(out_->shape[2], last_->shape[1]);
    return repeat("q", shared, [&](const Scalar& q) {
      Scalar head = at[1] * shared + q;
      return repeat("j", columns_, [&](const Scalar& j) {
        Stmt product = weigh(j, [&](const Scalar& i) { return element(kQuery, {at[0], t, head, i}); });
        return in_order({product, store(out_, {at[0], t, head, j}, scale_ * sum_.get())});
      });
    });
  }

  const std::vector<Ref<Buffer>> inputs_;
  const Ref<Buffer> out_, last_;
  const DType wide_;
  const std::string rule_;
  const Scalar rows_, columns_, scale_;
  const Ref<Buffer> state_;
  const Cell sum_;
};

Ref<BaseFunc> lower_linear_attention(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("linear_attention");
  std::vector<Ref<Buffer>> inputs, reads;
  for (size_t i = 0; i < in.op.inputs().size(); ++i) {
    inputs.push_back(in.has(i) ? k.input(in.op.inputs()[i]->name, call.args[i]->type) : Ref<Buffer>());
    if (inputs.back()) reads.push_back(inputs.back());
  }
  const auto* results = find<TupleType>(call.type);
  Ref<Buffer> out = k.output("T_out", results->fields[0]), last = k.output("T_state", results->fields[1]);
  const Head head(in, std::move(inputs), out, last);
  k.steps({.name = "linear_attention",
           .spatial = {last->shape[0], last->shape[1]},
           .reads = std::move(reads),
           .writes = {out, last},
           .locals = head.locals(),
           .body = [&](const Indices& at) { return head.steps(at); }});
  return std::move(k).finish();
}

OpSample sample_linear_attention(Sampler& s) {
  const DType dtype = s.one_of<DType>({DType::float_(32), DType::float_(64)});
  const int64_t batch = s.between(1, 2), steps = s.between(0, 4), heads = s.between(1, 2), rows = s.between(1, 3);
  const int64_t columns = s.between(1, 3), shared = s.between(1, 2);
  const std::string rule = s.one_of<std::string>({"linear", "gated", "delta", "gated_delta"});
  auto tensor = [&](std::vector<int64_t> dims) {
    return s.tensor({.dims = sizes(dims), .dtype = dtype, .values = Values::Unit});
  };
  OpSample out{{tensor({batch, steps, heads * shared, rows}), tensor({batch, steps, heads, rows}),
                tensor({batch, steps, heads, columns})},
               {{"update_rule", rule}}};
  const bool decays = rule.starts_with("gated"), corrects = rule.ends_with("delta");
  std::vector<Expr> rest{s.chance(50) ? tensor({batch, heads, rows, columns}) : Expr(),
                         decays ? tensor({batch, steps, heads, s.chance(50) ? 1 : rows}) : Expr(),
                         corrects ? tensor({batch, steps, heads, 1}) : Expr()};
  while (!rest.empty() && !rest.back()) rest.pop_back();
  for (const Expr& e : rest) out.args.push_back(e ? e : Tuple::make({}));  // absent argument
  if (s.chance(50)) out.attrs["scale"] = 0.5;
  return out;
}

}  // namespace

void register_linear_attention_ops(OpTable& ops) {
  ops.add({.name = "nn.linear_attention",
           .summary = "What queries read from a running sum of keys times values; and that sum at the end.",
           .params = {{"query", "float tensor (batch, time, heads, d) (C1, C2, C5)"},
                      {"key", "float tensor (batch, time, heads of keys, d) (C1, C2, C5)"},
                      {"value", "float tensor (batch, time, heads of keys, width) (C1, C2, C5)"},
                      optional_param("state",
                                     "float tensor (batch, heads of keys, d, width): the sum at the start; "
                                     "None: 0 (C1, C2, C5)"),
                      optional_param("decay",
                                     "float tensor (batch, time, heads of keys, 1 or d): logarithms of what "
                                     "stays of the sum, in gated rules (C1, C2, C4, C5)"),
                      optional_param("beta",
                                     "float tensor (batch, time, heads of keys, 1): how much is corrected, in "
                                     "delta rules (C1, C2, C4, C5)"),
                      string_param("update_rule", "linear, gated, delta or gated_delta (C3, C4)", "linear"),
                      float_param("scale", "of the results; None: 1 / sqrt(d)", AttrValue())},
           .constraints = {"C1: all have one float dtype", "C2: all ranks are 4", "C3: update_rule is one of the words",
                           "C4: gated rules have a decay, delta rules a beta, and no others",
                           "C5: the sizes fit each other"},
           .infer = infer_linear_attention,
           .lower = lower_linear_attention,
           .precision = Precision::Follow,
           .sample = sample_linear_attention});
}

}  // namespace sunmao
