// Samples of ops that join elements along axes.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

// `axis` is None, one axis, or several.
OpSample over_axes(Sampler& s, const Expr& x) {
  AttrMap attrs{{"keepdims", s.chance(50)}};
  if (sampled_rank(x) > 0 && s.chance(70)) attrs["axis"] = AttrValue::ints(s.axes(sampled_rank(x)));
  return {{x}, std::move(attrs)};
}
OpSample sum(Sampler& s) { return over_axes(s, s.tensor({.kind = Kind::Number})); }
OpSample mean(Sampler& s) { return over_axes(s, s.tensor({})); }

// Over one axis, several, or all.
OpSample middle(Sampler& s) { return over_axes(s, s.tensor({.kind = Kind::Number, .size = Sizes::Some})); }

OpSample place(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  AttrMap attrs{{"keepdims", s.chance(50)}};
  if (s.chance(70)) attrs["axis"] = s.axis(sampled_rank(x));
  return {{x}, std::move(attrs)};
}

OpSample scan(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  AttrMap attrs{{"exclusive", s.chance(50)}};
  if (s.chance(80)) attrs["axis"] = s.axis(sampled_rank(x));
  return {{x}, std::move(attrs)};
}

OpSample ordered(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  return {{x}, {{"axis", s.axis(sampled_rank(x))}, {"descending", s.chance(50)}}};
}
OpSample first(Sampler& s) {
  static const std::vector<std::string> kResults{"both", "values", "indices"};
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  const int64_t axis = s.axis(sampled_rank(x));
  return {{x},
          {{"axis", axis},
           {"k", s.between(0, s.size_along(axis, x))},
           {"largest", s.chance(50)},
           {"ret_type", s.one_of(kResults)},
           {"dtype", s.chance(50) ? DType::int_(32) : DType::int_(64)}}};
}

OpSample normalised(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1});
  return {{x}, {{"axis", s.axis(sampled_rank(x))}}};
}

}  // namespace

void add_reduction_samples(SampleTable& t) {
  t["sum"] = t["prod"] = t["max"] = t["min"] = sum;
  t["mean"] = t["variance"] = t["std"] = mean;

  t["median"] = middle;
  t["argmax"] = t["argmin"] = place;
  t["cumsum"] = t["cumprod"] = scan;
  t["sort"] = t["argsort"] = ordered;
  t["topk"] = first;
  t["nn.softmax"] = t["nn.log_softmax"] = normalised;
}

}  // namespace sunmao
