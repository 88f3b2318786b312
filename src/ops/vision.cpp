// Ops on boxes: regions of interest, non-maximum suppression, decoding of anchors.
#include <fmt/format.h>

#include <algorithm>

#include "ops/axis_layout.h"
#include "ops/broadcast.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/vision_lowering.h"

namespace sunmao {
namespace {

void square_pooled_size(std::vector<Expr>&, AttrMap& attrs) { repeat_value(attrs, "pooled_size", 2); }

// A row of `rois` is (batch, x1, y1, x2, y2).
Type infer_roi(const InferInput& in) {
  const TensorType &x = in.tensor(0), &rois = in.tensor(1);
  need_rank(in, 0, 4);  // C1
  need_rank(in, 1, 2);
  need_float(in, x);  // C2
  bool aligns = in.op.find_param("aligned") != nullptr;
  std::string layout = aligns ? word_attr(in, "layout", {"NCHW", "NHWC"}) : word_attr(in, "layout", {"NCHW"});  // C3
  if (rois.dims() && !in.can_agree((*rois.dims())[1], int_imm(5)))                                              // C4
    in.error("E0309", fmt::format("a row of `rois` has 5 numbers, got {}", describe((*rois.dims())[1])));
  std::vector<int64_t> size = spatial_attr(in, "pooled_size", 2, 1);  // C5
  if (aligns) word_attr(in, "mode", {"avg", "max"});                  // C6
  Ref<VDevice> device = shared_vdevice(in, {&x, &rois});
  if (!written(x) || !written(rois)) return TensorType::make_unknown(x.dtype, 4, device);
  const Scalar &count = written(rois)->front(), height = int_imm(size[0]), width = int_imm(size[1]);
  if (layout == "NHWC") return TensorType::make({count, height, width, (*written(x))[3]}, x.dtype, device);
  return TensorType::make({count, (*written(x))[1], height, width}, x.dtype, device);
}

void check_index(const InferInput& in, const char* name, int64_t least, const Scalar* length, int64_t reach) {
  int64_t index = in.int_attr(name);
  const int64_t* known = length ? find_int(*length) : nullptr;
  if (index < least || (length && index >= 0 && !in.can_reach(*length, int_imm(index + reach))))
    in.error("E0203",
             fmt::format("`{}` cannot be {} in rows of {}", name, index, known ? fmt::format("{}", *known) : "?"));
}

Type infer_valid_counts(const InferInput& in) {
  const TensorType& data = in.tensor(0);
  need_rank(in, 0, 3);   // C1
  need_float(in, data);  // C3
  const Scalar* length = data.dims() ? &(*data.dims())[2] : nullptr;
  check_index(in, "score_index", 0, length, 1);  // C2
  check_index(in, "id_index", -1, length, 1);
  if (!written(data))
    return TupleType::make({TensorType::make_unknown(kInt32, 1, data.vdevice), in.type(0),
                            TensorType::make_unknown(kInt32, 2, data.vdevice)});
  const std::vector<Scalar>& d = *written(data);
  return TupleType::make({TensorType::make({d[0]}, kInt32, data.vdevice), in.type(0),
                          TensorType::make({d[0], d[1]}, kInt32, data.vdevice)});
}

Type infer_suppression(const InferInput& in) {
  const TensorType &data = in.tensor(0), &valid = in.tensor(1), &indices = in.tensor(2);
  need_rank(in, 0, 3);  // C1
  need_rank(in, 1, 1);
  need_rank(in, 2, 2);
  need_float(in, data);                                                                                 // C5
  need_dtype(in, valid.dtype.is_void() || valid.dtype == kInt32, "valid_count", "int32", valid.dtype);  // C2
  need_dtype(in, indices.dtype.is_void() || indices.dtype == kInt32, "indices", "int32", indices.dtype);
  if (data.dims() && valid.dims()) need_equal_sizes(in, "batches", (*data.dims())[0], (*valid.dims())[0]);  // C3
  if (data.dims() && indices.dims()) {
    need_equal_sizes(in, "batches", (*data.dims())[0], (*indices.dims())[0]);
    need_equal_sizes(in, "boxes", (*data.dims())[1], (*indices.dims())[1]);
  }
  const Scalar* length = data.dims() ? &(*data.dims())[2] : nullptr;
  check_index(in, "score_index", 0, length, 1);  // C4
  check_index(in, "id_index", -1, length, 1);
  check_index(in, "coord_start", 0, length, 4);
  if (!in.bool_attr("return_indices")) return in.type(0);
  Type kept = TensorType::make_unknown(kInt32, 2, data.vdevice), count = kept;
  if (written(data)) {
    kept = TensorType::make({(*written(data))[0], (*written(data))[1]}, kInt32, data.vdevice);
    count = TensorType::make({(*written(data))[0], int_imm(1)}, kInt32, data.vdevice);
  }
  bool is_soft = in.float_attr("soft_nms_sigma") > 0;
  return is_soft ? TupleType::make({in.type(0), kept, count}) : TupleType::make({kept, count});
}

void check_limit(const InferInput& in, size_t i) {
  if (find<PrimType>(in.type(i))) return;
  const TensorType& t = in.tensor(i);
  const int64_t* size = t.dims() && t.rank == 1 ? find_int(t.dims()->front()) : nullptr;
  if (t.rank > 1 || (size && *size != 1))
    in.error("E0307", fmt::format("`{}` must be one value, got {}", in.op.inputs()[i]->name, describe(in.type(i))));
}

Type infer_all_class(const InferInput& in) {
  const TensorType &boxes = in.tensor(0), &scores = in.tensor(1);
  need_rank(in, 0, 3);  // C1
  need_rank(in, 1, 3);
  std::string format = word_attr(in, "output_format", {"onnx", "tensorflow"});  // C2
  Ref<VDevice> device = shared_vdevice(in, {&boxes, &scores});
  if (boxes.dims() && scores.dims()) {
    need_equal_sizes(in, "batches", (*boxes.dims())[0], (*scores.dims())[0]);  // C3
    need_equal_sizes(in, "boxes", (*boxes.dims())[1], (*scores.dims())[2]);
  }
  if (boxes.dims()) need_equal_sizes(in, "numbers of a box", (*boxes.dims())[2], int_imm(4));  // C4
  for (size_t i = 2; i < 5; ++i) check_limit(in, i);                                           // C5
  bool onnx = format == "onnx";
  const std::vector<Scalar>*b = written(boxes), *s = written(scores);
  if (!b || !s) {
    Type chosen = TensorType::make_unknown(kInt64, onnx ? 2 : 3, device);
    if (onnx) return TupleType::make({chosen, TensorType::make({int_imm(1)}, kInt64, device)});
    return TupleType::make(
        {chosen, TensorType::make_unknown(DType::float_(32), 2, device), TensorType::make_unknown(kInt64, 1, device)});
  }
  if (onnx) {
    Scalar most = in.analyzer().simplify((*s)[0] * (*s)[1] * (*b)[1]);
    return TupleType::make(
        {TensorType::make({most, int_imm(3)}, kInt64, device), TensorType::make({int_imm(1)}, kInt64, device)});
  }
  Scalar most = in.analyzer().simplify((*s)[1] * (*b)[1]);
  return TupleType::make({TensorType::make({(*s)[0], most, int_imm(2)}, kInt64, device),
                          TensorType::make({(*s)[0], most}, DType::float_(32), device),
                          TensorType::make({(*s)[0]}, kInt64, device)});
}

bool is_number(const AttrValue& v) { return v.find<double>() || v.find<int64_t>(); }

Type infer_multibox(const InferInput& in) {
  const TensorType &cls = in.tensor(0), &loc = in.tensor(1), &anchor = in.tensor(2);
  need_rank(in, 0, 3);  // C1
  need_rank(in, 1, 2);
  need_rank(in, 2, 3);
  DType dtype = common_dtype(in, cls, loc);  // C2
  common_dtype(in, cls, anchor);
  need_float(in, cls);
  Ref<VDevice> device = shared_vdevice(in, {&cls, &loc, &anchor});
  if (anchor.dims()) {
    need_equal_sizes(in, "batches of anchors", (*anchor.dims())[0], int_imm(1));  // C3
    need_equal_sizes(in, "numbers of an anchor", (*anchor.dims())[2], int_imm(4));
    if (cls.dims()) need_equal_sizes(in, "anchors", (*cls.dims())[2], (*anchor.dims())[1]);
  }
  if (loc.dims() && cls.dims()) {
    need_equal_sizes(in, "batches", (*cls.dims())[0], (*loc.dims())[0]);
    need_equal_sizes(in, "locations", (*loc.dims())[1], in.analyzer().simplify((*cls.dims())[2] * int_imm(4)));
  }
  const AttrList* scales = in.attr("variances").find<AttrList>();
  if (!scales || scales->size() != 4 || !std::ranges::all_of(*scales, is_number))  // C4
    in.error("E0203", "attribute `variances` must hold four numbers");
  if (!written(cls))
    return TupleType::make({TensorType::make_unknown(dtype, 3, device), TensorType::make_unknown(dtype, 3, device)});
  const std::vector<Scalar>& c = *written(cls);
  return TupleType::make(
      {TensorType::make({c[0], c[2], int_imm(4)}, dtype, device), TensorType::make(c, dtype, device)});
}

// Draws rows (batch, x1, y1, x2, y2) as a constant, since the first number must be a valid image index.
Expr sampled_regions(Sampler& s, int64_t images, DType dtype) {
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

OpSample sample_roi(Sampler& s) {
  Expr x = s.image(2);
  const double scale = s.chance(50) ? 1.0 : 0.5;
  return {{x, sampled_regions(s, s.size_along(0, x), sampled_dtype(x))},
          {{"pooled_size", AttrValue::ints({s.between(1, 3), s.between(1, 3)})}, {"spatial_scale", scale}}};
}

OpSample sample_roi_align(Sampler& s) {
  OpSample sample = sample_roi(s);
  sample.attrs["sample_ratio"] = s.between(-1, 2);
  sample.attrs["aligned"] = s.chance(50);
  sample.attrs["mode"] = s.chance(50) ? "avg" : "max";
  return sample;
}

// Draws rows (class, score, x1, y1, x2, y2).
Expr scored_boxes(Sampler& s, int64_t batch, int64_t count) {
  return s.tensor({.dims = sizes({batch, count, 6}), .values = Values::Finite});
}

OpSample sample_valid_counts(Sampler& s) {
  return {{scored_boxes(s, s.between(1, 2), s.between(1, 6))},
          {{"score_threshold", static_cast<double>(s.between(-2, 2)) / 4}, {"id_index", s.between(-1, 0)}}};
}

OpSample sample_suppression(Sampler& s) {
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

OpSample sample_class_suppression(Sampler& s) {
  const int64_t batch = s.between(1, 2), classes = s.between(1, 3), count = s.between(1, 6);
  Expr boxes = s.tensor({.dims = sizes({batch, count, 4}), .dtype = DType::float_(32), .values = Values::Finite});
  return {{boxes, s.beside(boxes, sizes({batch, classes, count}), Values::Finite), int_argument(s.between(0, 3)),
           float_argument(0.25), float_argument(-0.5)},
          {{"output_format", s.chance(50) ? "onnx" : "tensorflow"}}};
}

OpSample sample_multibox(Sampler& s) {
  const int64_t batch = s.between(1, 2), classes = s.between(1, 3), anchors = s.between(1, 4);
  Expr scores = s.tensor({.dims = sizes({batch, classes, anchors})});
  return {{scores, s.beside(scores, sizes({batch, 4 * anchors})), s.beside(scores, sizes({1, anchors, 4}))},
          {{"clip", s.chance(50)},
           {"threshold", s.chance(50) ? 0.0 : 0.25},
           {"variances", AttrValue(AttrList{0.5, 0.5, 0.25, 0.25})},
           {"keep_background", s.chance(50)}}};
}

void register_regions(OpTable& ops) {
  OpParam data{"data", "tensor of rank 4 (C1, C2)"}, rois{"rois", "matrix of rows (batch, x1, y1, x2, y2) (C1, C4)"},
      size = ints_param("pooled_size", "the size of the result; one number stands for both (C5)"),
      scale = float_param("spatial_scale", "from the coordinates of regions to those of data");
  std::vector<std::string> constraints{"C1: ranks are 4 and 2", "C2: data is a float tensor",
                                       "C3: the layout is a known one", "C4: a row has 5 numbers",
                                       "C5: two sizes of 1 at least"};
  std::vector<std::string> with_mode = constraints;
  with_mode.push_back("C6: mode is \"avg\" or \"max\"");
  ops.add({.name = "vision.roi_align",
           .summary = "Each region brought to one size, by interpolation.",
           .params = {data, rois, size, scale,
                      int_param("sample_ratio", "samples for each bin; below 1: as many as fit", -1),
                      bool_param("aligned",
                                 "a region may be smaller than one element of data; else it is made that large", false),
                      string_param("layout", "\"NCHW\" or \"NHWC\" (C3)", "NCHW"),
                      string_param("mode", "\"avg\" or \"max\" (C6)", "avg")},
           .constraints = with_mode,
           .infer = infer_roi,
           .lower = lower_roi_align,
           .canonical = square_pooled_size,
           .precision = Precision::Follow,
           .sample = sample_roi_align});
  ops.add({.name = "vision.roi_pool",
           .summary = "Each region brought to one size: the largest element of each bin.",
           .params = {data, rois, size, scale, string_param("layout", "\"NCHW\" (C3)", "NCHW")},
           .constraints = constraints,
           .infer = infer_roi,
           .lower = lower_roi_pool,
           .canonical = square_pooled_size,
           .precision = Precision::Follow,
           .sample = sample_roi});
}

}  // namespace

void register_vision_ops(OpTable& ops) {
  register_regions(ops);
  ops.add({.name = "vision.get_valid_counts",
           .summary = "The boxes above a score moved to the front: how many, the boxes, and where they were.",
           .params = {{"data", "tensor (batch, boxes, numbers) (C1)"},
                      float_param("score_threshold", "scores above it count", 0),
                      int_param("id_index", "where the class stands; -1: nowhere (C2)", 0),
                      int_param("score_index", "where the score stands (C2)", 1)},
           .constraints = {"C1: the rank is 3", "C2: indices lie within a box's numbers", "C3: data is a float tensor"},
           .infer = infer_valid_counts,
           .lower = lower_valid_counts,
           .sample = sample_valid_counts});
  ops.add({.name = "vision.non_max_suppression",
           .summary = "The boxes without those that overlap a better one.",
           .params = {{"data", "tensor (batch, boxes, numbers) (C1)"},
                      {"valid_count", "int32 vector (C1, C2, C3)"},
                      {"indices", "int32 matrix: where each box was (C1, C2, C3)"},
                      int_param("max_output_size", "how many to keep; -1: all", -1),
                      float_param("iou_threshold", "from which overlap on", 0.5),
                      bool_param("force_suppress", "boxes of other classes too", false),
                      int_param("top_k", "only the best; -1: all", -1),
                      int_param("coord_start", "where the four coordinates begin (C4)", 2),
                      int_param("score_index", "where the score stands (C4)", 1),
                      int_param("id_index", "where the class stands; -1: nowhere (C4)", 0),
                      bool_param("return_indices", "which boxes are kept, not the boxes", true),
                      bool_param("invalid_to_bottom", "kept boxes first", false),
                      float_param("soft_nms_sigma", "above 0: scores decay instead", 0.0),
                      float_param("score_threshold", "decayed scores below it go", 0.0)},
           .constraints = {"C1: ranks are 3, 1 and 2", "C2: counts and indices are int32", "C3: sizes agree",
                           "C4: indices lie within a box's numbers", "C5: data is a float tensor"},
           .infer = infer_suppression,
           .lower = lower_suppression,
           .sample = sample_suppression});
  ops.add({.name = "vision.all_class_non_max_suppression",
           .summary = "The boxes of each class without those that overlap a better one.",
           .params = {{"boxes", "tensor (batch, boxes, 4) (C1, C3, C4)"},
                      {"scores", "tensor (batch, classes, boxes) (C1, C3)"},
                      {"max_output_boxes_per_class", "integer scalar, or tensor of one element (C5)", ParamKind::Value},
                      {"iou_threshold", "float scalar, or tensor of one element (C5)", ParamKind::Value},
                      {"score_threshold", "float scalar, or tensor of one element (C5)", ParamKind::Value},
                      string_param("output_format", "\"onnx\" or \"tensorflow\" (C2)", "onnx")},
           .constraints = {"C1: both ranks are 3", "C2: output_format is one of the two", "C3: sizes agree",
                           "C4: a box has 4 numbers", "C5: each limit is one value"},
           .infer = infer_all_class,
           .lower = lower_all_class_suppression,
           .sample = sample_class_suppression});
  ops.add({.name = "vision.multibox_transform_loc",
           .summary = "Boxes from anchors and predicted offsets, and the scores of their classes.",
           .params = {{"cls_pred", "tensor (batch, classes, anchors) (C1, C2, C3)"},
                      {"loc_pred", "tensor (batch, 4 * anchors) (C1, C2, C3)"},
                      {"anchor", "tensor (1, anchors, 4) (C1, C2, C3)"},
                      bool_param("clip", "boxes stay within [0, 1]", false),
                      float_param("threshold", "scores below it become 0", 0.0),
                      attr_param(AttrKind::Any, "variances", "scales of the four offsets (C4)",
                                 AttrValue(AttrList{1.0, 1.0, 1.0, 1.0})),
                      bool_param("keep_background", "the first class stays", true)},
           .constraints = {"C1: ranks are 3, 2 and 3", "C2: one float dtype", "C3: sizes agree", "C4: four variances"},
           .infer = infer_multibox,
           .lower = lower_multibox,
           .sample = sample_multibox});
}

}  // namespace sunmao
