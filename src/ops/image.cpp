// Ops on images: resizing, affine grids, and sampling at the coordinates of a grid.
#include <fmt/format.h>

#include <algorithm>

#include "ops/axis_layout.h"
#include "ops/grid_sample.h"
#include "ops/layout_rule.h"
#include "ops/ops.h"
#include "ops/resize.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

// Canonicalises arguments of image ops. A scalar size (with `kOneOfShape` also a shape of one size) is repeated for all
// spatial axes. The region of interest becomes a list of 2 * kSpatial floats: a single float is repeated, missing
// values of a list are 0.
template <size_t kSpatial, bool kOneOfShape>
void canonical_size(std::vector<Expr>& args, AttrMap& attrs) {
  if (args.size() < 2) return;
  if (const auto* one = find<PrimValue>(args[1]); one && one->value->dtype.is_int())
    args[1] = ShapeExpr::make(std::vector<Scalar>(kSpatial, as_index(one->value)));
  if (const auto* shape = find<ShapeExpr>(args[1]); kOneOfShape && shape && shape->values.size() == 1)
    args[1] = ShapeExpr::make(std::vector<Scalar>(kSpatial, shape->values[0]));
  auto roi = attrs.find("roi");
  if (roi == attrs.end()) return;
  const AttrList* list = roi->second.find<AttrList>();
  const double* one = roi->second.find<double>();
  AttrList out;
  for (size_t i = 0; i < 2 * kSpatial; ++i) {
    AttrValue v = list && i < list->size() ? (*list)[i] : AttrValue(one ? *one : 0.0);
    const Scalar* scalar = v.find<Scalar>();
    const auto* real = scalar ? find<FloatImm>(*scalar) : nullptr;
    if (real)
      out.push_back(real->value);
    else
      out.push_back(v.find<int64_t>() ? AttrValue(static_cast<double>(*v.find<int64_t>())) : v);
  }
  roi->second = AttrValue(std::move(out));
}

template <size_t kSpatial>
const char* names() {
  return kSpatial == 2 ? "NCHW" : "NCDHW";
}

template <size_t kSpatial>
Type infer_resize(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const ShapeType& size = in.shape(1);          // C1
  if (size.rank != static_cast<int>(kSpatial))  // C2
    in.error("E0309", fmt::format("`size` must have {} values, got {}", kSpatial, describe(in.type(1))));
  AxisLayout layout = AxisLayout::of_attr(in, "layout", names<kSpatial>());  // C3
  need_layout_rank(in, 0, layout);                                           // C4
  word_attr(in, "method", {"nearest_neighbor", "linear", "cubic"});          // C5
  word_attr(in, "coordinate_transformation_mode",                            // C6
            {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn",
             "tf_crop_and_resize"});
  word_attr(in, "rounding_method", {"", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});  // C7
  DType given = in.dtype_attr("out_dtype"), dtype = given.is_void() ? x.dtype : given;
  if (!written(x) || !size.values) return TensorType::make_unknown(dtype, layout.rank(), x.vdevice);
  std::vector<Scalar> dims = layout.canonical_sizes(*written(x));
  for (Scalar& d : dims) d = in.analyzer().simplify(d);
  for (size_t i = 2; i < dims.size(); ++i)
    if (!in.can_reach(dims[i], int_imm(1))) in.error("E0309", "an image without elements cannot be resized");  // C8
  std::copy(size.values->begin(), size.values->end(), dims.begin() + 2);
  return TensorType::make(layout.sizes(dims, in.analyzer()), dtype, x.vdevice);
}

Type infer_affine_grid(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const ShapeType& size = in.shape(1);   // C1
  need_rank(in, 0, 3);                   // C2
  need_float(in, x);                     // C5
  if (size.rank != 2 && size.rank != 3)  // C3
    in.error("E0309", fmt::format("`size` must have 2 or 3 values, got {}", describe(in.type(1))));
  const int spatial = size.rank;
  if (x.dims())
    for (int i : {0, 1})
      if (!in.can_agree((*x.dims())[static_cast<size_t>(i + 1)], int_imm(spatial + i)))  // C4
        in.error("E0309", fmt::format("`data` must be of shape (n, {}, {}) for {} sizes, got {}", spatial, spatial + 1,
                                      spatial, describe(in.type(0))));
  if (!written(x) || !size.values) return TensorType::make_unknown(x.dtype, spatial + 2, x.vdevice);
  std::vector<Scalar> dims{written(x)->front(), int_imm(spatial)};
  dims.insert(dims.end(), size.values->begin(), size.values->end());
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

// Kernel of image.affine_grid: multiplies the matrix with (x, y, 1) or (x, y, z, 1), which run from -1 to 1 over the
// target's axes, from the last one on.
Ref<BaseFunc> lower_affine_grid(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("affine_grid");
  Ref<Buffer> m = k.input("A", call.args[0]->type), y = k.output("grid", call.type);
  bool corners = in.bool_attr("align_corners");
  auto along = [&](const Scalar& at, const Scalar& size) {
    const Scalar one = constant(y->dtype, 1), two = constant(y->dtype, 2);
    const Scalar i = cast_to(y->dtype, at), n = cast_to(y->dtype, size);
    if (corners) return divide(i * two - (n - one), max(n - one, one));  // 0 where there is one
    return divide(i * two + one, n) - one;
  };
  k.compute(y, "grid", [&](const Indices& at) {
    const size_t spatial = at.size() - 2;
    auto entry = [&](size_t i) { return load(m, {at[0], at[1], int_imm(static_cast<int64_t>(i))}); };
    Scalar sum;
    for (size_t i = 0; i < spatial; ++i) {
      const size_t axis = at.size() - 1 - i;
      Scalar term = entry(i) * along(at[axis], y->shape[axis]);
      sum = sum ? sum + term : term;
    }
    return sum + entry(spatial);
  });
  return std::move(k).finish();
}

Type infer_grid_sample(const InferInput& in) {
  const TensorType &x = in.tensor(0), &grid = in.tensor(1);
  std::string order = in.string_attr("layout");
  bool volume = order.find('D') != std::string::npos;
  AxisLayout layout = AxisLayout::of_attr(in, "layout", volume ? "NCDHW" : "NCHW");  // C1
  need_layout_rank(in, 0, layout);                                                   // C2
  need_rank(in, 1, layout.rank());
  word_attr(in, "method", {"bilinear", "nearest", "bicubic"});       // C3
  word_attr(in, "padding_mode", {"zeros", "border", "reflection"});  // C4
  Ref<VDevice> device = shared_vdevice(in, {&x, &grid});
  if (grid.dims() && !in.can_agree((*grid.dims())[1], int_imm(volume ? 3 : 2)))  // C5
    in.error("E0309", fmt::format("dimension 1 of `grid` must be {}, got {}", volume ? 3 : 2, describe(in.type(1))));
  if (x.dims() && grid.dims() && !in.can_agree(layout.canonical_sizes(*x.dims())[0], (*grid.dims())[0]))  // C6
    in.error("E0309", fmt::format("batches differ: {} against {}", describe(layout.canonical_sizes(*x.dims())[0]),
                                  describe((*grid.dims())[0])));
  if (!written(x) || !written(grid)) return TensorType::make_unknown(x.dtype, layout.rank(), device);
  std::vector<Scalar> dims = layout.canonical_sizes(*written(x));
  std::copy(written(grid)->begin() + 2, written(grid)->end(), dims.begin() + 2);
  return TensorType::make(layout.sizes(dims, in.analyzer()), x.dtype, device);
}

Expr sampled_target(Sampler& s, int spatial) {
  Dims size;
  for (int i = 0; i < spatial; ++i) size.push_back(int_imm(s.between(1, spatial == 3 ? 2 : 6)));
  return ShapeExpr::make(std::move(size));
}

template <int kSpatial>
OpSample sample_resize(Sampler& s) {
  static const std::vector<std::string> kMethods{"nearest_neighbor", "linear", "cubic"},
      kModes{"half_pixel",         "align_corners",        "asymmetric",
             "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize"},
      kRounding{"round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  const std::string& method = s.one_of(kMethods);
  // At the place of a pixel, up to rounding, the weight of its neighbour is 0 or nearly so, which an infinite one
  // shows.
  const Values values = method == "nearest_neighbor" ? Values::Any : Values::Finite;
  OpSample sample{{s.image(kSpatial, values), sampled_target(s, kSpatial)},
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

OpSample sample_affine_grid(Sampler& s) {
  const int spatial = s.chance(70) ? 2 : 3;
  return {{s.tensor({.dims = sizes({s.between(1, 3), spatial, spatial + 1})}), sampled_target(s, spatial)},
          {{"align_corners", s.chance(50)}}};
}

OpSample sample_grid_sample(Sampler& s) {
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

template <size_t kSpatial>
OpInfo resize() {
  return {.name = fmt::format("image.resize{}d", kSpatial),
          .summary = "Images brought to another size.",
          .params = {{"data", "tensor in `layout` (C4, C8)"},
                     {"size", "shape: the new size; one number stands for all axes (C1, C2)", ParamKind::Shape},
                     attr_param(AttrKind::Any, "roi", "region of interest, for \"tf_crop_and_resize\"", AttrValue(0.0)),
                     string_param("layout", "the order of data's axes (C3)", names<kSpatial>()),
                     string_param("method", "\"nearest_neighbor\", \"linear\" or \"cubic\" (C5)", "linear"),
                     string_param("coordinate_transformation_mode", "where an output pixel lies in the input (C6)",
                                  "half_pixel"),
                     string_param("rounding_method", "which pixel is nearest (C7)", kSpatial == 2 ? "round" : ""),
                     float_param("cubic_alpha", "the parameter of the cubic kernel", -0.75),
                     int_param("cubic_exclude", "1: what lies outside has no weight", 0),
                     float_param("extrapolation_value", "what lies outside the region of interest", 0.0),
                     dtype_param("out_dtype", "None: that of data", AttrValue())},
          .constraints = {"C1: size is a shape", "C2: with one value for each spatial axis",
                          "C3: the layout has the letters of the default one", "C4: the rank is that of the layout",
                          "C5: method is one of the three", "C6: the mode is one of the six",
                          "C7: rounding_method is one of the five, or \"\"", "C8: the images have elements"},
          .infer = infer_resize<kSpatial>,
          .lower = lower_resize,
          .canonical = canonical_size<kSpatial, true>,
          .fuse = Fuse::Injective,
          .precision = Precision::Follow,
          .layout = layout_resize,
          .sample = sample_resize<kSpatial>};
}

}  // namespace

void register_image_ops(OpTable& ops) {
  ops.add(resize<2>());
  ops.add(resize<3>());
  ops.add({.name = "image.affine_grid",
           .summary = "For each pixel of a target the place that a matrix sends it to.",
           .params = {{"data", "tensor (n, 2, 3), for volumes (n, 3, 4): matrices (C2, C4)"},
                      {"size", "shape: the target's height and width, of volumes its depth before (C1, C3)",
                       ParamKind::Shape},
                      bool_param("align_corners", "-1 and 1 are the middles of the outermost pixels, not their edges",
                                 true)},
           .constraints = {"C1: size is a shape", "C2: the rank is 3", "C3: size has two or three values",
                           "C4: the matrices are 2 by 3, or 3 by 4", "C5: data is a float tensor"},
           .infer = infer_affine_grid,
           .lower = lower_affine_grid,
           .canonical = canonical_size<2, false>,
           .fuse = Fuse::Injective,
           .sample = sample_affine_grid});
  ops.add(
      {.name = "image.grid_sample",
       .summary = "data sampled at the places that a grid holds.",
       .params = {{"data", "tensor in `layout` (C2)"},
                  {"grid", "tensor (n, 2, height, width) of places in [-1, 1]; (n, 3, …) in volumes (C2, C5, C6)"},
                  string_param("method", "\"bilinear\", \"nearest\" or \"bicubic\" (C3)", "bilinear"),
                  string_param("layout", "the order of data's axes (C1)", "NCHW"),
                  string_param("padding_mode", "what lies outside: \"zeros\", \"border\" or \"reflection\" (C4)",
                               "zeros"),
                  bool_param("align_corners", "-1 and 1 are the middles of the outermost pixels", false)},
       .constraints = {"C1: the layout has the letters of the default one", "C2: both ranks are those of the layout",
                       "C3: method is one of the three", "C4: padding_mode is one of the three",
                       "C5: a place has one number for each spatial axis", "C6: the batches agree"},
       .infer = infer_grid_sample,
       .lower = lower_grid_sample,
       .fuse = Fuse::Injective,
       .sample = sample_grid_sample});
}

}  // namespace sunmao
