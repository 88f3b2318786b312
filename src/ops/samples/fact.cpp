// Samples of what tells of tensors and shapes, and of marks, which give back what they are given.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

OpSample any(Sampler& s) { return {{s.tensor({.kind = Kind::Number})}}; }
OpSample along_axis(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  return {{x, int_argument(s.between(0, sampled_rank(x) - 1))}};
}
OpSample shape(Sampler& s) { return {{ShapeExpr::make(s.dims(0, 4))}}; }
OpSample vector(Sampler& s) {
  return {{s.places(s.dims(1, 1, Sizes::Whole), 9, 0, s.chance(50) ? DType::int_(32) : DType::int_(64))}};
}

OpSample on_device(Sampler& s) {
  return {{s.tensor({.kind = Kind::Number})}, {{"dst_vdevice", AttrValue(Ref<GlobalInfo>(sampled_device()))}}};
}

OpSample wrapped(Sampler& s) {
  return {{s.tensor({.kind = Kind::Number})}, {{"dtype", DType::float_(s.chance(50) ? 32 : 64)}}};
}

// As another shape, as floats or integers, sometimes from an element on.
OpSample viewed(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3, .dtype = DType::float_(32), .size = Sizes::Whole});
  int64_t count = 1;
  for (const Scalar& d : sampled_dims(x)) count *= s.size_of(d);
  const int64_t begin = s.chance(30) ? s.between(0, count - 1) : 0, rest = count - begin, rows = rest % 2 == 0 ? 2 : 1;
  OpSample sample{{x, ShapeExpr::make(sizes({rows, rest / rows})),
                   DTypeLiteral::make(s.chance(50) ? DType::int_(32) : DType::float_(32))}};
  if (begin > 0) sample.args.push_back(int_argument(4 * begin));
  return sample;
}

}  // namespace

void add_fact_samples(SampleTable& t) {
  for (const char* name :
       {"shape_of", "size", "inspect.tensor_dtype_code", "inspect.tensor_dtype_bits", "inspect.tensor_dtype_lanes",
        "inspect.tensor_ndim", "inspect.tensor_byte_offset", "inspect.tensor_elem_offset", "grad.no_grad",
        "grad.start_checkpoint", "grad.end_checkpoint", "builtin.stop_lift_params"})
    t[name] = any;
  t["inspect.tensor_shape_i"] = t["inspect.tensor_stride_i"] = along_axis;
  t["shape_to_tensor"] = shape;
  t["tensor_to_shape"] = vector;
  t["to_vdevice"] = t["hint_on_device"] = on_device;
  t["wrap_param"] = wrapped;
  t["memory.view"] = viewed;
}

}  // namespace sunmao
