// Samples of attention.
#include <algorithm>

#include "ops/samples/samples.h"

namespace sunmao {
namespace {

// A scale, and what a query does not see.
void masked(Sampler& s, OpSample& sample) {
  static const std::vector<std::string> kMasks{"TopLeft", "BottomRight"};
  if (s.chance(50)) sample.attrs["scale"] = 0.5;
  if (s.chance(40)) sample.attrs["causal_mask"] = s.one_of(kMasks);
  if (s.chance(20)) sample.attrs["window_size"] = s.between(1, 3);
}

OpSample attention(Sampler& s) {
  const int64_t batch = s.between(1, 2), heads = s.between(1, 2), width = s.between(1, 4), queries = s.between(1, 4),
                keys = s.between(1, 4), values = s.between(1, 3);
  Expr query = s.tensor({.dims = sizes({batch, queries, heads, width})});
  OpSample sample{{query, s.beside(query, sizes({batch, keys, heads, width})),
                   s.beside(query, sizes({batch, keys, heads, values}))}};
  if (s.chance(40)) sample.args.push_back(s.beside(query, sizes({s.chance(30) ? 1 : batch, heads, queries, keys})));
  masked(s, sample);
  return sample;
}

// Where each of `count` sequences of random lengths begins, and the end of the last.
std::vector<int32_t> starts(Sampler& s, size_t count) {
  std::vector<int32_t> out{0};
  for (size_t i = 0; i < count; ++i) out.push_back(out.back() + static_cast<int32_t>(s.between(1, 4)));
  return out;
}
Expr int32s(std::vector<int64_t> shape, const std::vector<int32_t>& values) {
  ArrayBuilder out(DType::int_(32), std::move(shape));
  std::ranges::copy(values, out.as<int32_t>().begin());
  return Constant::make(std::move(out).finish());
}

OpSample attention_of_sequences(Sampler& s) {
  const size_t count = 1 + s.below(3);
  const int64_t heads = s.between(1, 2), width = s.between(1, 4), values = s.between(1, 3);
  const std::vector<int32_t> queries = starts(s, count), keys = s.chance(50) ? queries : starts(s, count);
  const bool is_shared = keys == queries && s.chance(50);
  Expr query = s.tensor({.dims = sizes({1, queries.back(), heads, width})});
  OpSample sample{{query, s.beside(query, sizes({1, keys.back(), heads, width})),
                   s.beside(query, sizes({1, keys.back(), heads, values}))}};
  for (const std::vector<int32_t>& bounds : {queries, keys}) {
    if (sample.args.size() > 3 && is_shared) break;
    sample.args.push_back(int32s({std::ssize(bounds)}, bounds));
    sample.args.push_back(int32s({}, {4}));
  }
  masked(s, sample);
  return sample;
}

}  // namespace

void add_attention_samples(SampleTable& t) {
  t["nn.attention"] = t["nn.attention_bias"] = attention;
  t["nn.attention_var_len"] = attention_of_sequences;
}

}  // namespace sunmao
