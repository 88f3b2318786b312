// Samples of attention.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample attention(Sampler& s) {
  const int64_t batch = s.between(1, 2), heads = s.between(1, 2), width = s.between(1, 4), queries = s.between(1, 4),
                keys = s.between(1, 4), values = s.between(1, 3);
  auto tensor = [&](const std::vector<int64_t>& dims) {
    return s.tensor({.dims = sizes(dims), .dtype = DType::float_(32)});
  };
  OpSample sample{{tensor({batch, queries, heads, width}), tensor({batch, keys, heads, width}),
                   tensor({batch, keys, heads, values})}};
  if (s.chance(40)) sample.args.push_back(tensor({batch, heads, queries, keys}));
  if (s.chance(50)) sample.attrs["scale"] = 0.5;
  return sample;
}

}  // namespace

void add_attention_samples(SampleTable& t) { t["nn.attention"] = attention; }

}  // namespace sunmao
