// Samples of products, convolutions, windows and norms.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample product(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3});
  std::vector<Scalar> dims{sampled_dims(x).back()};
  if (s.chance(80)) dims.push_back(int_imm(s.between(1, 5)));
  if (dims.size() == 2 && s.chance(20)) dims.insert(dims.begin(), int_imm(1));
  return {{x, s.tensor({.dims = dims, .dtype = sampled_dtype(x)})}};
}

OpSample outer(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 1});
  return {{x, s.tensor({.min_rank = 1, .max_rank = 1, .dtype = sampled_dtype(x)})}};
}

// A convolution with so many spatial axes, in groups, strides, with padding.
template <int kSpatial>
OpSample convolved(Sampler& s) {
  const int64_t groups = s.between(1, 2), channels = groups * s.between(1, 2), filters = groups * s.between(1, 2);
  std::vector<Scalar> data{int_imm(s.between(1, 2)), int_imm(channels)},
      kernel{int_imm(filters), int_imm(channels / groups)};
  std::vector<int64_t> strides, padding, dilation;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(5, 7)));
    kernel.push_back(int_imm(s.between(1, 3)));
    strides.push_back(s.between(1, 2));
    dilation.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, 2));
  Expr x = s.tensor({.dims = data, .dtype = DType::float_(32)}),
       w = s.tensor({.dims = kernel, .dtype = DType::float_(32)});
  return {{x, w},
          {{"strides", AttrValue::ints(strides)},
           {"padding", AttrValue::ints(padding)},
           {"dilation", AttrValue::ints(dilation)},
           {"groups", groups}}};
}

template <int kSpatial>
OpSample pooled(Sampler& s) {
  std::vector<Scalar> data{int_imm(s.between(1, 2)), int_imm(s.between(1, 3))};
  std::vector<int64_t> window, strides, padding;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(4, 6)));
    window.push_back(s.between(1, 3));
    strides.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, window[static_cast<size_t>(i % kSpatial)] / 2));
  return {{s.tensor({.dims = data, .dtype = DType::float_(32)})},
          {{"pool_size", AttrValue::ints(window)},
           {"strides", AttrValue::ints(strides)},
           {"padding", AttrValue::ints(padding)}}};
}

template <bool kRootMeanSquare>
OpSample layer_norm(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .is_static = true});
  TensorWish scale{.dims = std::vector<Scalar>{sampled_dims(x).back()}, .dtype = sampled_dtype(x)};
  std::vector<Expr> args{x, s.tensor(scale)};
  if (!kRootMeanSquare) args.push_back(s.tensor(scale));
  return {std::move(args), {{"axes", AttrValue::ints({-1})}}};
}

OpSample linear(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3});
  const Scalar features = int_imm(s.between(1, 4));
  std::vector<Expr> args{
      x, s.tensor({.dims = std::vector<Scalar>{features, sampled_dims(x).back()}, .dtype = sampled_dtype(x)})};
  if (s.chance(50)) args.push_back(s.tensor({.dims = std::vector<Scalar>{features}, .dtype = sampled_dtype(x)}));
  return {std::move(args)};
}

}  // namespace

void add_nn_samples(SampleTable& t) {
  t["matmul"] = product;
  t["outer"] = outer;
  t["linear"] = linear;
  t["nn.conv1d"] = convolved<1>;
  t["nn.conv2d"] = convolved<2>;
  t["nn.conv3d"] = convolved<3>;
  t["nn.max_pool1d"] = t["nn.avg_pool1d"] = pooled<1>;
  t["nn.max_pool2d"] = t["nn.avg_pool2d"] = pooled<2>;
  t["nn.max_pool3d"] = t["nn.avg_pool3d"] = pooled<3>;
  t["nn.layer_norm"] = layer_norm<false>;
  t["nn.rms_norm"] = layer_norm<true>;
}

}  // namespace sunmao
