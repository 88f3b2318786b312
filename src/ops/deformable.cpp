// Deformable convolution: each tap is displaced by a fractional offset and read by bilinear interpolation.
#include <fmt/format.h>

#include <array>

#include "ops/axis_layout.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

struct Deformable {
  explicit Deformable(const InferInput& in)
      : strides(spatial_attr(in, "strides", 2, 1)), dilation(spatial_attr(in, "dilation", 2, 1)),
        padding(spatial_attr(in, "padding", 4, 0)), groups(in.int_attr("groups")),
        offset_groups(in.int_attr("offset_groups")) {}
  std::vector<int64_t> strides, dilation, padding;
  int64_t groups, offset_groups;
};

Type infer_deform_conv2d(const InferInput& in) {
  const TensorType &x = in.tensor(0), &weight = in.tensor(2);
  for (size_t i = 0; i < in.args.size(); ++i) {
    if (!in.has(i)) continue;
    need_float(in, in.tensor(i));  // C1
    need_one_dtype(in, i, 0);
    need_rank(in, i, 4);  // C2
  }
  const Deformable d(in);  // C3
  if (d.groups < 1 || d.offset_groups < 1)
    in.error("E0203",
             fmt::format("`groups` and `offset_groups` must be at least 1, got {} and {}", d.groups, d.offset_groups));
  if (!written(x) || !written(weight)) return TensorType::make_unknown(x.dtype, 4, x.vdevice);
  const std::vector<Scalar>&data = *written(x), &kernel = *written(weight);
  std::vector<Scalar> dims{data[0], kernel[0]};
  for (size_t i = 0; i < 2; ++i) {
    Scalar reach = data[i + 2] + int_imm(d.padding[i] + d.padding[i + 2] - 1) -
                   (kernel[i + 2] - int_imm(1)) * int_imm(d.dilation[i]);
    dims.push_back(in.analyzer().simplify(floor_div(reach, int_imm(d.strides[i])) + int_imm(1)));
  }
  const Scalar taps = in.analyzer().simplify(kernel[2] * kernel[3] * int_imm(d.offset_groups));
  need_dims(in, 1, {dims[0], in.analyzer().simplify(taps * int_imm(2)), dims[2], dims[3]});  // C4
  need_dims(in, 2, {nullptr, in.analyzer().simplify(floor_div(data[1], int_imm(d.groups))), nullptr, nullptr});
  need_dims(in, 3, {dims[0], taps, dims[2], dims[3]});
  auto need_parts = [&](const char* what, const Scalar& count, int64_t groups) {
    if (!in.can_agree(in.analyzer().simplify(floor_mod(count, int_imm(groups))), int_imm(0)))
      in.error("E0309", fmt::format("{} {} do not divide into {} groups", describe(count), what, groups));
  };
  need_parts("channels", data[1], d.groups);
  need_parts("filters", kernel[0], d.groups);
  need_parts("channels", data[1], d.offset_groups);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

// Returns the bilinear interpolation of the four elements around (y, x); elements outside of the image are 0.
Scalar between(const Ref<Buffer>& data, const Scalar& n, const Scalar& c, const std::array<Scalar, 2>& at) {
  const DType t = at[0]->dtype;
  Scalar sum = constant(t, 0);
  for (int64_t corner = 0; corner < 4; ++corner) {
    Indices from{n, c};
    Scalar weight = constant(t, 1), inside;
    for (size_t i = 0; i < 2; ++i) {
      const bool is_far = corner >> (1 - i) & 1;
      Scalar low = intrinsic("floor", at[i]), near = at[i] - low;
      from.push_back(as_index(low) + int_imm(is_far));
      weight = weight * (is_far ? near : constant(t, 1) - near);
      Scalar fits = both(at_least(from.back(), int_imm(0)), less(from.back(), data->shape[i + 2]));
      inside = inside ? both(inside, fits) : fits;
    }
    sum = sum + choose(inside, weight * cast_to(t, load(data, from)), constant(t, 0));
  }
  return sum;
}

Ref<BaseFunc> lower_deform_conv2d(const Call& call) {
  InferInput in = input_of(call);
  const Deformable d(in);
  KernelBuilder k("deform_conv2d");
  Ref<Buffer> data = k.input("data", call.args[0]->type), offset = k.input("offset", call.args[1]->type),
              weight = k.input("weight", call.args[2]->type);
  Ref<Buffer> mask = in.has(3) ? k.input("mask", call.args[3]->type) : Ref<Buffer>();
  Ref<Buffer> y = k.output("T_conv", call.type);
  const DType wide = accumulator(data->dtype);
  const Scalar channels = weight->shape[1], rows = weight->shape[2], columns = weight->shape[3];
  const Scalar filters = floor_div(weight->shape[0], int_imm(d.groups));
  const Scalar shared = floor_div(data->shape[1], int_imm(d.offset_groups));
  Ref<Buffer> sum = k.alloc("sum", wide, y->shape);
  k.reduce(sum, "sum", {channels, rows, columns}, summed(wide), [&](const Indices& at, const Indices& r) {
    Scalar channel = floor_div(at[1], filters) * channels + r[0];
    Scalar tap = (floor_div(channel, shared) * rows + r[1]) * columns + r[2];
    std::array<Scalar, 2> place;
    for (size_t i = 0; i < 2; ++i) {
      Scalar moved = load(offset, {at[0], tap * int_imm(2) + int_imm(static_cast<int64_t>(i)), at[2], at[3]});
      Scalar regular = at[i + 2] * int_imm(d.strides[i]) + r[i + 1] * int_imm(d.dilation[i]) - int_imm(d.padding[i]);
      place[i] = Cast::make(wide, regular) + cast_to(wide, moved);
    }
    Scalar value = between(data, at[0], channel, place) * cast_to(wide, load(weight, {at[1], r[0], r[1], r[2]}));
    return mask ? value * cast_to(wide, load(mask, {at[0], tap, at[2], at[3]})) : value;
  });
  k.compute(y, "T_conv", [&](const Indices& at) { return cast_to(y->dtype, load(sum, at)); });
  return std::move(k).finish();
}

OpSample sample_deform_conv2d(Sampler& s) {
  const int64_t groups = s.between(1, 2), shared = s.between(1, 2), channels = groups * shared,
                filters = groups * s.between(1, 2);
  const int64_t rows = s.between(1, 3), columns = s.between(1, 2), step = s.between(1, 2), pad = s.between(0, 1),
                batch = s.between(1, 2);
  auto places = [&](int64_t size, int64_t taps) { return (size + 2 * pad - taps) / step + 1; };
  const int64_t height = places(5, rows), width = places(4, columns), taps = shared * rows * columns;
  auto tensor = [&](std::vector<int64_t> dims) {
    return s.tensor({.dims = sizes(dims), .dtype = DType::float_(32), .values = Values::Finite});
  };
  OpSample out{{tensor({batch, channels, 5, 4}), tensor({batch, 2 * taps, height, width}),
                tensor({filters, channels / groups, rows, columns})},
               {{"strides", AttrValue::ints({step, step})},
                {"padding", AttrValue::ints({pad, pad})},
                {"groups", groups},
                {"offset_groups", shared}}};
  if (s.chance(50)) out.args.push_back(tensor({batch, taps, height, width}));
  return out;
}

}  // namespace

void register_deformable_ops(OpTable& ops) {
  ops.add({.name = "nn.deform_conv2d",
           .summary = "A convolution whose taps are moved by offsets, and weighted by a mask.",
           .params = {{"data", "float tensor (n, channels, height, width) (C1, C2)"},
                      {"offset",
                       "float tensor (n, 2 * offset_groups * taps, height, width of the result): how far "
                       "each tap is moved down, then right (C1, C2, C4)"},
                      {"weight", "float tensor (filters, channels / groups, rows, columns) (C1, C2, C4)"},
                      optional_param("mask",
                                     "float tensor (n, offset_groups * taps, height, width of the result); None: "
                                     "1 (C1, C2, C4)"),
                      ints_param("strides", "the step from one window to the next (C3)", 1),
                      ints_param("padding", "zeros before and behind: one value, one for each axis, or all (C3)", 0),
                      ints_param("dilation", "the step within a window (C3)", 1),
                      int_param("groups", "channels that filters see apart from each other (C3)", 1),
                      int_param("offset_groups", "channels that move apart from each other (C3)", 1)},
           .constraints = {"C1: all have one float dtype", "C2: all ranks are 4",
                           "C3: strides, dilation and groups at least 1, padding at least 0, as many as axes",
                           "C4: the sizes fit each other, and channels and filters divide into groups"},
           .infer = infer_deform_conv2d,
           .lower = lower_deform_conv2d,
           .canonical =
               [](std::vector<Expr>&, AttrMap& attrs) {
                 for (const char* name : {"strides", "dilation"}) repeat_value(attrs, name, 2);
                 mirror_padding(attrs, 2);
               },
           .sample = sample_deform_conv2d});
}

}  // namespace sunmao
