#include "ops/samples/samples.h"

namespace sunmao {
namespace {

AttrValue texts(const std::vector<std::string>& values) { return AttrList(values.begin(), values.end()); }

OpSample layer(Sampler& s, int64_t gates, size_t activations, bool has_cell, int64_t extra) {
  const DType dtype = s.one_of<DType>({DType::float_(32), DType::float_(64)});
  const int64_t hidden = s.between(1, 3), steps = s.between(0, 4), batch = s.between(1, 3);
  auto tensor = [&](std::vector<int64_t> dims) {
    return s.tensor({.dims = sizes(dims), .dtype = dtype, .values = Values::Finite});
  };
  OpSample out{{tensor({steps, batch, gates * hidden}), tensor({gates * hidden, hidden}), tensor({batch, hidden})}};
  if (has_cell) out.args.push_back(tensor({batch, hidden}));
  const bool has_extra = extra && s.chance(50), has_lengths = s.chance(50);
  if (has_extra) out.args.push_back(tensor({extra * hidden}));
  if (has_lengths) {
    if (extra && !has_extra) out.args.push_back(Tuple::make({}));  // holds the place
    out.args.push_back(
        s.tensor({.dims = sizes({batch}), .dtype = DType::int_(64), .values = Values::Index, .limit = steps + 1}));
  }
  static const std::vector<std::string> words{
      "relu",        "tanh",         "sigmoid", "affine",   "leaky_relu", "thresholded_relu",
      "scaled_tanh", "hard_sigmoid", "elu",     "softsign", "softplus"};
  std::vector<std::string> chosen;
  for (size_t i = 0; i < activations; ++i) chosen.push_back(s.one_of(words));
  if (s.chance(60)) out.attrs["activations"] = texts(chosen);
  if (s.chance(30)) out.attrs["clip"] = 0.5;
  out.attrs["reverse"] = s.chance(50);
  return out;
}

OpSample rnn(Sampler& s) { return layer(s, 1, 1, false, 0); }
OpSample gru(Sampler& s) {
  OpSample out = layer(s, 3, 2, false, 1);
  out.attrs["resets_product"] = s.chance(50);
  return out;
}
OpSample lstm(Sampler& s) {
  OpSample out = layer(s, 4, 3, true, 3);
  out.attrs["couples_gates"] = s.chance(30);
  return out;
}

OpSample linear_attention(Sampler& s) {
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
  for (const Expr& e : rest) out.args.push_back(e ? e : Tuple::make({}));  // holds the place
  if (s.chance(50)) out.attrs["scale"] = 0.5;
  return out;
}

}  // namespace

void add_recurrent_samples(SampleTable& t) {
  t["nn.rnn"] = rnn;
  t["nn.gru"] = gru;
  t["nn.lstm"] = lstm;
  t["nn.linear_attention"] = linear_attention;
}

}  // namespace sunmao
