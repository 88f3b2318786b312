// Samples of ops on images.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample shuffled(Sampler& s) {
  const int64_t factor = s.between(1, 2);
  const Dims dims = sizes({s.between(1, 2), factor * factor * s.between(1, 2), s.between(1, 3), s.between(1, 3)});
  return {{s.tensor({.dims = dims, .size = Sizes::Whole})}, {{"upscale_factor", factor}}};
}

Expr target(Sampler& s, int spatial) {
  Dims size;
  for (int i = 0; i < spatial; ++i) size.push_back(int_imm(s.between(1, spatial == 3 ? 2 : 6)));
  return ShapeExpr::make(std::move(size));
}

template <int kSpatial>
OpSample resized(Sampler& s) {
  static const std::vector<std::string> kMethods{"nearest_neighbor", "linear", "cubic"},
      kModes{"half_pixel",         "align_corners",        "asymmetric",
             "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize"},
      kRounding{"round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  const std::string& method = s.one_of(kMethods);
  OpSample sample{{s.image(kSpatial), target(s, kSpatial)},
                  {{"method", method}, {"coordinate_transformation_mode", s.one_of(kModes)}}};
  if (method == "nearest_neighbor") sample.attrs["rounding_method"] = s.one_of(kRounding);
  if (s.chance(50)) sample.attrs["cubic_alpha"] = -0.5;
  if (s.chance(50)) sample.attrs["cubic_exclude"] = 1;
  AttrList region;
  for (int i = 0; i < 2 * kSpatial; ++i) region.emplace_back(i < kSpatial ? 0.125 : 1.25);
  sample.attrs["roi"] = AttrValue(std::move(region));
  sample.attrs["extrapolation_value"] = -3.0;
  return sample;
}

OpSample affine_grid(Sampler& s) {
  return {{s.tensor({.dims = sizes({s.between(1, 3), 2, 3})}), target(s, 2)}, {{"align_corners", s.chance(50)}}};
}

OpSample grid_sampled(Sampler& s) {
  static const std::vector<std::string> kMethods{"bilinear", "nearest", "bicubic"},
      kPadding{"zeros", "border", "reflection"};
  const int spatial = s.chance(70) ? 2 : 3;
  Expr x = s.image(spatial);
  Dims grid{sampled_dims(x)[0], int_imm(spatial)};
  for (int i = 0; i < spatial; ++i) grid.push_back(int_imm(s.between(1, 4)));
  std::string method = s.one_of(kMethods);
  if (spatial == 3 && method == "bicubic") method = "bilinear";
  return {{x, s.beside(x, grid, Values::Finite)},
          {{"method", method},
           {"padding_mode", s.one_of(kPadding)},
           {"align_corners", s.chance(50)},
           {"layout", spatial == 2 ? "NCHW" : "NCDHW"}}};
}

}  // namespace

void add_image_samples(SampleTable& t) {
  t["nn.pixel_shuffle"] = shuffled;
  t["image.resize2d"] = resized<2>;
  t["image.resize3d"] = resized<3>;
  t["image.affine_grid"] = affine_grid;
  t["image.grid_sample"] = grid_sampled;
}

}  // namespace sunmao
