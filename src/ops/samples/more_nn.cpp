// Samples of norms over channels, attention, transposed convolutions, adaptive pools, losses and quantisation.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

Expr vector_of(Sampler& s, const Expr& like, const Scalar& size, Values values = Values::Any) {
  return s.tensor({.dims = std::vector<Scalar>{size}, .dtype = sampled_dtype(like), .values = values});
}

// (batch, channels, …) with `channels` a multiple of 2.
Expr image(Sampler& s, int spatial) {
  std::vector<Scalar> dims{int_imm(s.between(1, 2)), int_imm(2 * s.between(1, 2))};
  for (int i = 0; i < spatial; ++i) dims.push_back(int_imm(s.between(2, 4)));
  return s.tensor({.dims = dims, .is_static = true});
}

OpSample batch_norm(Sampler& s) {
  Expr x = image(s, 2);
  const Scalar& channels = sampled_dims(x)[1];
  return {{x, vector_of(s, x, channels), vector_of(s, x, channels), vector_of(s, x, channels),
           vector_of(s, x, channels, Values::Positive)},
          {{"axis", 1}, {"training", s.chance(30)}}};
}
OpSample group_norm(Sampler& s) {
  Expr x = image(s, 2);
  const Scalar& channels = sampled_dims(x)[1];
  return {{x, vector_of(s, x, channels), vector_of(s, x, channels)},
          {{"num_groups", 2}, {"channel_axis", 1}, {"axes", AttrValue::ints({2, 3})}}};
}
OpSample instance_norm(Sampler& s) {
  OpSample sample = group_norm(s);
  sample.attrs.erase("num_groups");
  return sample;
}

OpSample attention(Sampler& s) {
  const Scalar batch = int_imm(s.between(1, 2)), heads = int_imm(s.between(1, 2)), width = int_imm(s.between(1, 4));
  const Scalar queries = int_imm(s.between(1, 4)), keys = int_imm(s.between(1, 4)), values = int_imm(s.between(1, 3));
  auto tensor = [&](std::vector<Scalar> dims) {
    return s.tensor({.dims = std::move(dims), .dtype = DType::float_(32)});
  };
  OpSample sample{{tensor({batch, queries, heads, width}), tensor({batch, keys, heads, width}),
                   tensor({batch, keys, heads, values})}};
  if (s.chance(40)) sample.args.push_back(tensor({batch, heads, queries, keys}));
  if (s.chance(50)) sample.attrs["scale"] = 0.5;
  return sample;
}

template <int kSpatial>
OpSample transposed(Sampler& s) {
  const int64_t groups = s.between(1, 2);
  std::vector<Scalar> data{int_imm(s.between(1, 2)), int_imm(groups * 2)},
      kernel{int_imm(groups * 2), int_imm(s.between(1, 2))};
  std::vector<int64_t> strides, padding;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(2, 4)));
    kernel.push_back(int_imm(s.between(2, 3)));
    strides.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, 1));
  auto tensor = [&](std::vector<Scalar> dims) {
    return s.tensor({.dims = std::move(dims), .dtype = DType::float_(32)});
  };
  return {{tensor(data), tensor(kernel)},
          {{"strides", AttrValue::ints(strides)}, {"padding", AttrValue::ints(padding)}, {"groups", groups}}};
}

template <int kSpatial>
OpSample adaptive(Sampler& s) {
  std::vector<int64_t> size;
  for (int i = 0; i < kSpatial; ++i) size.push_back(s.between(1, 3));
  return {{image(s, kSpatial)}, {{"output_size", AttrValue::ints(size)}}};
}

OpSample cross_entropy(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2, .is_static = true});
  return {{x, s.tensor({.dims = sampled_dims(x), .dtype = sampled_dtype(x)})}};
}

OpSample nll_loss(Sampler& s) {
  const int64_t classes = s.between(2, 4);
  const Scalar batch = int_imm(s.between(1, 3));
  Expr x = s.tensor({.dims = std::vector<Scalar>{batch, int_imm(classes)}, .is_static = true});
  Expr targets = s.tensor(
      {.dims = std::vector<Scalar>{batch}, .dtype = DType::int_(64), .values = Values::Index, .limit = classes});
  static const std::vector<std::string> kReductions{"none", "sum", "mean"};
  return {{x, targets, vector_of(s, x, int_imm(classes), Values::Positive)}, {{"reduction", s.one_of(kReductions)}}};
}

OpSample quantized(Sampler& s) {
  // No integer stands for NaN.
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32), .values = Values::Positive});
  const std::vector<Scalar> one;
  return {{x, s.tensor({.dims = one, .dtype = DType::float_(32), .values = Values::Positive}),
           s.tensor({.dims = one, .dtype = DType::int_(8)})},
          {{"out_dtype", DType::int_(8)}}};
}
OpSample dequantized(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::int_(8)});
  const std::vector<Scalar> one;
  return {{x, s.tensor({.dims = one, .dtype = DType::float_(32), .values = Values::Positive}),
           s.tensor({.dims = one, .dtype = DType::int_(8)})},
          {{"out_dtype", DType::float_(32)}}};
}

OpSample shuffled(Sampler& s) {
  const int64_t factor = s.between(1, 2);
  std::vector<Scalar> dims{int_imm(s.between(1, 2)), int_imm(factor * factor * s.between(1, 2)),
                           int_imm(s.between(1, 3)), int_imm(s.between(1, 3))};
  return {{s.tensor({.dims = dims, .is_static = true})}, {{"upscale_factor", factor}}};
}

OpSample summed(Sampler& s) {
  Expr x = s.tensor({.min_rank = 2, .max_rank = 3, .is_static = true});
  std::vector<Scalar> dims{sampled_dims(x).back(), int_imm(s.between(1, 4))};
  Expr y = s.tensor({.dims = dims, .dtype = sampled_dtype(x)});
  const bool is_batch = sampled_dims(x).size() == 3;
  return {{Tuple::make({x, y})}, {{"subscripts", is_batch ? "bij,jk->bki" : "ij,jk->ki"}}};
}

}  // namespace

void add_more_nn_samples(SampleTable& t) {
  t["nn.batch_norm"] = batch_norm;
  t["nn.group_norm"] = group_norm;
  t["nn.instance_norm"] = instance_norm;
  t["nn.attention"] = attention;
  t["nn.conv1d_transpose"] = transposed<1>;
  t["nn.conv2d_transpose"] = transposed<2>;
  t["nn.conv3d_transpose"] = transposed<3>;
  t["nn.adaptive_avg_pool1d"] = adaptive<1>;
  t["nn.adaptive_avg_pool2d"] = adaptive<2>;
  t["nn.adaptive_avg_pool3d"] = adaptive<3>;
  t["nn.cross_entropy_with_logits"] = cross_entropy;
  t["nn.nll_loss"] = nll_loss;
  t["quantize"] = quantized;
  t["dequantize"] = dequantized;
  t["nn.pixel_shuffle"] = shuffled;
  t["einsum"] = summed;
}

}  // namespace sunmao
