#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample sliding_window(Sampler& s) {
  Expr x = s.tensor({.kind = TensorWish::Kind::Number, .min_rank = 1, .max_rank = 3, .size = Sizes::Whole});
  const int64_t axis = s.axis(sampled_rank(x));
  const int64_t length = *find_int(dim_along(axis, x));
  return {{x}, {{"axis", axis}, {"size", s.between(1, length)}, {"step", s.between(1, 3)}}};
}

OpSample dft(Sampler& s) {
  const bool inverse = s.chance(50), onesided = s.chance(50);
  const int64_t parts = inverse ? 2 : onesided ? 1 : s.between(1, 2);
  Dims dims = sizes({s.between(1, 3), s.between(2, 7), parts});
  if (s.chance(30)) dims.insert(dims.begin(), int_imm(s.between(0, 2)));
  Expr x = s.tensor({.dims = dims, .dtype = s.dtype(TensorWish::Kind::Float), .values = Values::Finite});
  AttrMap attrs{{"axis", int64_t{-2}}, {"inverse", inverse}, {"onesided", onesided}};
  if (s.chance(40)) attrs["length"] = s.between(1, 9);
  return {{x}, attrs};
}

OpSample stft(Sampler& s) {
  const bool onesided = s.chance(60);
  const int64_t size = s.between(1, 6);
  Expr x = s.tensor({.dims = sizes({s.between(1, 2), size + s.between(0, 8), onesided ? 1 : s.between(1, 2)}),
                     .dtype = s.dtype(TensorWish::Kind::Float),
                     .values = Values::Finite});
  Expr window = s.tensor({.dims = sizes({size}), .dtype = sampled_dtype(x), .values = Values::Finite});
  return {{x, window}, {{"step", s.between(1, 4)}, {"onesided", onesided}}};
}

template <bool kIntegers>
OpSample random(Sampler& s) {
  Expr seed = s.tensor({.dims = Dims(), .dtype = DType::int_(64), .values = Values::Index, .limit = 1 << 20});
  OpSample out{{seed, ShapeExpr::make(s.dims(0, 3, Sizes::Whole))}};
  if (!kIntegers) {
    out.attrs["dtype"] = s.dtype(TensorWish::Kind::Float);
    return out;
  }
  out.attrs["low"] = s.between(-100, 0);
  out.attrs["high"] = s.between(1, 100);
  return out;
}

}  // namespace

void add_signal_samples(SampleTable& t) {
  t["sliding_window"] = sliding_window;
  t["signal.dft"] = dft;
  t["signal.stft"] = stft;
  t["random.uniform"] = t["random.normal"] = random<false>;
  t["random.integers"] = random<true>;
}

}  // namespace sunmao
