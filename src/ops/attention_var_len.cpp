// Attention within each of several sequences that stand one behind the other.
#include "ops/attention.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

struct Span2 {
  Scalar begin, length;
};

}  // namespace

Ref<BaseFunc> lower_attention_var_len(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder kb("attention_var_len");
  std::vector<Ref<Buffer>> p;
  for (const char* name : {"queries", "keys", "values", "seqstart_q", "max_seqlen_q", "seqstart_k", "max_seqlen_k"})
    p.push_back(kb.input(name, call.args[p.size()]->type));
  const Ref<Buffer>&q = p[0], &k = p[1], &v = p[2], &starts_q = p[3], &starts_k = p[5];
  Ref<Buffer> y = kb.output("T_attention", call.type);
  const DType dtype = q->dtype.bits < 32 ? DType::float_(32) : q->dtype;
  Scalar scale = in.attr("scale").is_none() ? intrinsic("rsqrt", Cast::make(dtype, q->shape[3]))
                                            : constant(dtype, in.float_attr("scale"));
  Cell sequence("sequence", DType::int_(64)), score("score", dtype), top("top", dtype), sum("sum", dtype);
  Ref<Buffer> out = Buffer::make("out", dtype, {v->shape[3]});
  kb.steps({.name = "attention_var_len",
            .spatial = {q->shape[0], q->shape[1], q->shape[2]},
            .reads = p,
            .writes = {y},
            .locals = {sequence.buffer(), score.buffer(), top.buffer(), sum.buffer(), out},
            .body = [&](const Indices& at) {
              auto bound = [&](const Ref<Buffer>& starts, const Scalar& i) { return as_index(load(starts, {i})); };
              auto span_of = [&](const Ref<Buffer>& starts) {
                Scalar begin = bound(starts, sequence.get());
                return Span2{begin, bound(starts, sequence.get() + int_imm(1)) - begin};
              };
              Scalar sequences = starts_q->shape[0] - int_imm(1);
              Stmt find_sequence = repeat("s", sequences, [&](const Scalar& s) {
                Scalar here = both(at_least(at[1], bound(starts_q, s)), less(at[1], bound(starts_q, s + int_imm(1))));
                return when(here, sequence.set(s));
              });
              const Span2 rows = span_of(starts_q), columns = span_of(starts_k);
              auto with_score = [&](const std::function<Stmt(const Scalar& key)>& body) {
                return repeat("j", columns.length, [&](const Scalar& j) {
                  Scalar key = columns.begin + j;
                  Stmt product = repeat("d", q->shape[3], [&](const Scalar& d) {
                    return score.set(score.get() + cast_to(dtype, load(q, {at[0], at[1], at[2], d})) *
                                                       cast_to(dtype, load(k, {at[0], key, at[2], d})));
                  });
                  Stmt all = in_order({score.set(constant(dtype, 0)), product, body(key)});
                  Scalar seen = visible_score(in, at[1] - rows.begin, j, rows.length, columns.length);
                  return seen ? when(seen, all) : all;
                });
              };
              auto each = [&](const std::function<Scalar(const Scalar&)>& value) {
                return repeat("d", v->shape[3], [&](const Scalar& d) { return store(out, {d}, value(d)); });
              };
              Scalar scaled = score.get() * scale;
              Stmt weigh =
                  in_order({top.set(lowest_of(dtype)),
                            with_score([&](const Scalar&) { return top.set(max(top.get(), scaled)); }),
                            with_score([&](const Scalar& key) {
                              Stmt raise = score.set(intrinsic("exp", scaled - top.get()));
                              Stmt add = each([&](const Scalar& d) {
                                return load(out, {d}) + score.get() * cast_to(dtype, load(v, {at[0], key, at[2], d}));
                              });
                              return in_order({raise, sum.set(sum.get() + score.get()), add});
                            })});
              Stmt write = repeat("d", v->shape[3], [&](const Scalar& d) {
                Scalar any = less(constant(dtype, 0), sum.get());
                Scalar value = choose(any, divide(load(out, {d}), sum.get()), constant(dtype, 0));
                return store(y, {at[0], at[1], at[2], d}, value);
              });
              return in_order({sequence.set(int_imm(-1)), find_sequence, sum.set(constant(dtype, 0)),
                               each([&](const Scalar&) { return constant(dtype, 0); }),
                               when(at_least(sequence.get(), int_imm(0)), weigh), write});
            }});
  return std::move(kb).finish();
}

}  // namespace sunmao
