// Samples of ops on images.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample shuffled(Sampler& s) {
  const int64_t factor = s.between(1, 2);
  const Dims dims = sizes({s.between(1, 2), factor * factor * s.between(1, 2), s.between(1, 3), s.between(1, 3)});
  return {{s.tensor({.dims = dims, .is_static = true})}, {{"upscale_factor", factor}}};
}

}  // namespace

void add_image_samples(SampleTable& t) { t["nn.pixel_shuffle"] = shuffled; }

}  // namespace sunmao
