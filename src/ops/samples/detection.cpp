// Samples of ops on boxes and regions.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

// Rows (batch, x1, y1, x2, y2): a constant, as the first number names an image.
Expr regions(Sampler& s, int64_t images, DType dtype) {
  const int64_t count = s.between(1, 4);
  ArrayBuilder out(dtype.bits == 64 ? dtype : DType::float_(32), {count, 5});
  for (int64_t i = 0; i < 5 * count; ++i) {
    const double value =
        i % 5 == 0 ? static_cast<double>(s.between(0, images - 1)) : static_cast<double>(s.between(-4, 24)) / 4;
    if (dtype.bits == 64)
      out.as<double>()[static_cast<size_t>(i)] = value;
    else
      out.as<float>()[static_cast<size_t>(i)] = static_cast<float>(value);
  }
  return Constant::make(std::move(out).finish());
}

OpSample region_sample(Sampler& s) {
  Expr x = s.image(2);
  const double scale = s.chance(50) ? 1.0 : 0.5;
  return {{x, regions(s, s.size_along(0, x), sampled_dtype(x))},
          {{"pooled_size", AttrValue::ints({s.between(1, 3), s.between(1, 3)})}, {"spatial_scale", scale}}};
}

OpSample aligned(Sampler& s) {
  OpSample sample = region_sample(s);
  sample.attrs["sample_ratio"] = s.between(-1, 2);
  sample.attrs["aligned"] = s.chance(50);
  sample.attrs["mode"] = s.chance(50) ? "avg" : "max";
  return sample;
}

// Rows (class, score, x1, y1, x2, y2).
Expr scored_boxes(Sampler& s, int64_t batch, int64_t count) {
  return s.tensor({.dims = sizes({batch, count, 6}), .values = Values::Finite});
}

OpSample counted(Sampler& s) {
  return {{scored_boxes(s, s.between(1, 2), s.between(1, 6))},
          {{"score_threshold", static_cast<double>(s.between(-2, 2)) / 4}, {"id_index", s.between(-1, 0)}}};
}

OpSample suppressed(Sampler& s) {
  const int64_t batch = s.between(1, 2), count = s.between(1, 8);
  const DType int32 = DType::int_(32);
  OpSample sample{{scored_boxes(s, batch, count), s.places(sizes({batch}), count + 1, 0, int32),
                   s.places(sizes({batch, count}), 50, 0, int32)}};
  sample.attrs = {{"iou_threshold", static_cast<double>(s.between(1, 5)) / 8},
                  {"force_suppress", s.chance(50)},
                  {"return_indices", s.chance(50)},
                  {"invalid_to_bottom", s.chance(50)},
                  {"id_index", s.between(-1, 0)}};
  if (s.chance(30)) sample.attrs["max_output_size"] = s.between(1, 4);
  if (s.chance(30)) sample.attrs["top_k"] = s.between(1, 4);
  return sample;
}

OpSample suppressed_by_class(Sampler& s) {
  const int64_t batch = s.between(1, 2), classes = s.between(1, 3), count = s.between(1, 6);
  Expr boxes = s.tensor({.dims = sizes({batch, count, 4}), .dtype = DType::float_(32), .values = Values::Finite});
  return {{boxes, s.beside(boxes, sizes({batch, classes, count}), Values::Finite), int_argument(s.between(0, 3)),
           float_argument(0.25), float_argument(-0.5)},
          {{"output_format", s.chance(50) ? "onnx" : "tensorflow"}}};
}

OpSample decoded(Sampler& s) {
  const int64_t batch = s.between(1, 2), classes = s.between(1, 3), anchors = s.between(1, 4);
  Expr scores = s.tensor({.dims = sizes({batch, classes, anchors})});
  return {{scores, s.beside(scores, sizes({batch, 4 * anchors})), s.beside(scores, sizes({1, anchors, 4}))},
          {{"clip", s.chance(50)},
           {"threshold", s.chance(50) ? 0.0 : 0.25},
           {"variances", AttrValue(AttrList{0.5, 0.5, 0.25, 0.25})},
           {"keep_background", s.chance(50)}}};
}

}  // namespace

void add_detection_samples(SampleTable& t) {
  t["vision.roi_align"] = aligned;
  t["vision.roi_pool"] = region_sample;
  t["vision.get_valid_counts"] = counted;
  t["vision.non_max_suppression"] = suppressed;
  t["vision.all_class_non_max_suppression"] = suppressed_by_class;
  t["vision.multibox_transform_loc"] = decoded;
}

}  // namespace sunmao
