// Samples of convolutions, plain and transposed.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

// A convolution with so many spatial axes, in groups, strides, with padding.
template <int kSpatial>
OpSample convolved(Sampler& s) {
  const int64_t groups = s.between(1, 2), channels = groups * s.between(1, 2), filters = groups * s.between(1, 2);
  Dims data = sizes({s.between(1, 2), channels}), kernel = sizes({filters, channels / groups});
  std::vector<int64_t> strides, padding, dilation;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(5, 7)));
    kernel.push_back(int_imm(s.between(1, 3)));
    strides.push_back(s.between(1, 2));
    dilation.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, 2));
  Expr x = s.tensor({.dims = data});
  return {{x, s.beside(x, kernel)},
          {{"strides", AttrValue::ints(strides)},
           {"padding", AttrValue::ints(padding)},
           {"dilation", AttrValue::ints(dilation)},
           {"groups", groups}}};
}

template <int kSpatial>
OpSample transposed(Sampler& s) {
  const int64_t groups = s.between(1, 2);
  Dims data = sizes({s.between(1, 2), groups * 2}), kernel = sizes({groups * 2, s.between(1, 2)});
  std::vector<int64_t> strides, padding, dilation, more;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(2, 4)));
    kernel.push_back(int_imm(s.between(2, 3)));
    strides.push_back(s.between(1, 2));
    dilation.push_back(s.between(1, 2));
    more.push_back(s.between(0, strides.back() - 1));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, 1));
  Expr x = s.tensor({.dims = data});
  return {{x, s.beside(x, kernel)},
          {{"strides", AttrValue::ints(strides)},
           {"padding", AttrValue::ints(padding)},
           {"dilation", AttrValue::ints(dilation)},
           {"output_padding", AttrValue::ints(more)},
           {"groups", groups}}};
}

}  // namespace

void add_convolution_samples(SampleTable& t) {
  t["nn.conv1d"] = convolved<1>;
  t["nn.conv2d"] = convolved<2>;
  t["nn.conv3d"] = convolved<3>;
  t["nn.conv1d_transpose"] = transposed<1>;
  t["nn.conv2d_transpose"] = transposed<2>;
  t["nn.conv3d_transpose"] = transposed<3>;
}

}  // namespace sunmao
