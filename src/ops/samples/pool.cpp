// Samples of pools.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

template <int kSpatial, bool kIsMax>
OpSample pooled(Sampler& s) {
  Dims data = sizes({s.between(1, 2), s.between(1, 3)});
  std::vector<int64_t> window, strides, padding;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(4, 6)));
    window.push_back(s.between(1, 3));
    strides.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, window[static_cast<size_t>(i % kSpatial)] / 2));
  OpSample sample{{s.tensor({.dims = data})},
                  {{"pool_size", AttrValue::ints(window)},
                   {"strides", AttrValue::ints(strides)},
                   {"padding", AttrValue::ints(padding)},
                   {"ceil_mode", s.chance(30)}}};
  if (kIsMax) sample.attrs["dilation"] = s.between(1, 2);
  if (!kIsMax) sample.attrs["count_include_pad"] = s.chance(50);
  return sample;
}

template <int kSpatial>
OpSample adaptive(Sampler& s) {
  std::vector<int64_t> size;
  for (int i = 0; i < kSpatial; ++i) size.push_back(s.between(1, 3));
  return {{s.image(kSpatial)}, {{"output_size", AttrValue::ints(size)}}};
}

}  // namespace

void add_pool_samples(SampleTable& t) {
  t["nn.max_pool1d"] = t["nn.max_pool1d_indices"] = pooled<1, true>;
  t["nn.avg_pool1d"] = pooled<1, false>;
  t["nn.max_pool2d"] = t["nn.max_pool2d_indices"] = pooled<2, true>;
  t["nn.avg_pool2d"] = pooled<2, false>;
  t["nn.max_pool3d"] = t["nn.max_pool3d_indices"] = pooled<3, true>;
  t["nn.avg_pool3d"] = pooled<3, false>;
  t["nn.adaptive_avg_pool1d"] = t["nn.adaptive_max_pool1d"] = adaptive<1>;
  t["nn.adaptive_avg_pool2d"] = t["nn.adaptive_max_pool2d"] = adaptive<2>;
  t["nn.adaptive_avg_pool3d"] = t["nn.adaptive_max_pool3d"] = adaptive<3>;
}

}  // namespace sunmao
