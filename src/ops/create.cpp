// Ops that create tensors from scalars, from shapes or in the shape of another tensor, and ops that keep a triangle.
#include <fmt/format.h>

#include <cmath>

#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

// Returns the dtype of a fill value, which is a scalar or a tensor of rank 0.
DType fill_dtype(const InferInput& in, size_t i) {
  if (const auto* p = find<PrimType>(in.type(i))) return p->dtype;
  const TensorType& t = in.tensor(i);
  if (t.rank != 0)  // C1
    in.error("E0307", fmt::format("`fill_value` must have rank 0, got {}", describe(in.type(i))));
  return t.dtype;
}

Ref<VDevice> fill_vdevice(const InferInput& in, size_t i) {
  const auto* t = find<TensorType>(in.type(i));
  return t ? t->vdevice : nullptr;
}

Type infer_full(const InferInput& in) {
  in.shape(0);
  DType given = in.dtype_attr("dtype"), fill = fill_dtype(in, 1);
  return shaped_by(in, 0, given.is_void() ? fill : given, fill_vdevice(in, 1));
}

Type infer_full_like(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  fill_dtype(in, 1);
  DType given = in.dtype_attr("dtype");
  return with_dtype(x, given.is_void() ? x.dtype : given);
}

Type infer_filled(const InferInput& in) {
  in.shape(0);
  DType dtype = in.dtype_attr("dtype");
  if (dtype.is_void()) in.error("E0203", "attribute `dtype` must name a dtype");  // C1
  return shaped_by(in, 0, dtype, nullptr);
}

Type infer_filled_like(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  DType given = in.dtype_attr("dtype");
  return with_dtype(x, given.is_void() ? x.dtype : given);
}

Ref<BaseFunc> filled(const Call& call, const char* name, const std::function<Scalar(const Indices&, DType)>& value) {
  KernelBuilder k(name);
  Ref<Buffer> y = k.output("T_full", call.type);
  k.compute(y, "T_full", [&](const Indices& at) { return value(at, y->dtype); });
  return std::move(k).finish();
}

template <int kValue>
Ref<BaseFunc> lower_constant(const Call& call) {
  return filled(call, kValue ? "ones" : "zeros", [](const Indices&, DType t) { return constant(t, kValue); });
}

// Kernels of zeros_like and ones_like: the tensor whose shape is used is an input although its elements are never read.
template <int kValue>
Ref<BaseFunc> lower_constant_like(const Call& call) {
  KernelBuilder k(kValue ? "ones_like" : "zeros_like");
  k.input("A", call.args[0]->type);
  Ref<Buffer> y = k.output("T_full", call.type);
  k.compute(y, "T_full", [&](const Indices&) { return constant(y->dtype, kValue); });
  return std::move(k).finish();
}

Ref<BaseFunc> lower_full(const Call& call) {
  KernelBuilder k("full");
  if (find<TensorType>(call.args[0]->type)) k.input("A", call.args[0]->type);
  Ref<Buffer> fill = find<TensorType>(call.args[1]->type) ? k.input("B", call.args[1]->type) : nullptr;
  Ref<Buffer> y = k.output("T_full", call.type);
  k.compute(y, "T_full",
            [&](const Indices&) { return cast_to(y->dtype, fill ? load(fill, {}) : scalar_value(call.args[1])); });
  return std::move(k).finish();
}

void read_scalar(const InferInput& in, size_t i, Scalar& value) {
  need_scalar(in, i);
  value = scalar_value(in.args[i]);
}

void eye_canonical(std::vector<Expr>& args, AttrMap&) {
  if (args.size() < 2) return;
  const auto* rows = find<Tuple>(args[1]);
  if (rows && rows->fields.empty()) args[1] = args[0];
}

void need_count(const InferInput& in, const Scalar& size) {
  const int64_t* known = size ? find_int(size) : nullptr;
  if (known && *known < 0) in.error("E0203", fmt::format("a dimension cannot be {}", *known));
}

Type infer_eye(const InferInput& in) {
  Scalar n, m, k;
  read_scalar(in, 0, n);  // C1
  read_scalar(in, 1, m);
  read_scalar(in, 2, k);
  DType dtype = in.dtype_attr("dtype");
  for (const Scalar& size : {n, m}) need_count(in, size);  // C2
  if (!n || !m) return TensorType::make_unknown(dtype, 2);
  return TensorType::make({as_index(n), as_index(m)}, dtype);
}

Type infer_eye_like(const InferInput& in) {
  need_rank(in, 0, 2);  // C2
  Scalar k;
  read_scalar(in, 1, k);
  return infer_filled_like(in);
}

Scalar on_diagonal(const Indices& at, const Scalar& k, DType dtype) {
  return Cast::make(dtype, equals(at[1], at[0] + as_index(k)));
}
Ref<BaseFunc> lower_eye(const Call& call) {
  return filled(call, "eye",
                [&](const Indices& at, DType t) { return on_diagonal(at, scalar_value(call.args[2]), t); });
}
Ref<BaseFunc> lower_eye_like(const Call& call) {
  KernelBuilder kb("eye_like");
  kb.input("A", call.args[0]->type);
  Ref<Buffer> y = kb.output("T_eye", call.type);
  kb.compute(y, "T_eye", [&](const Indices& at) { return on_diagonal(at, scalar_value(call.args[1]), y->dtype); });
  return std::move(kb).finish();
}

// Canonicalises arange(n) to arange(0, n, 1); if no dtype is given, derives it from the scalars.
void arange_canonical(std::vector<Expr>& args, AttrMap& attrs) {
  if (args.size() < 3) return;
  const auto* end = find<Tuple>(args[1]);
  if (end && end->fields.empty()) {
    args[1] = args[0];
    args[0] = PrimValue::make(int_imm(0));
  }
  if (!attrs["dtype"].is_none()) return;
  bool is_int = true;
  for (const Expr& a : args) {
    const auto* t = find<PrimType>(a->type);
    is_int = is_int && t && t->dtype.is_int();
  }
  attrs["dtype"] = AttrValue(is_int ? DType::int_(64) : DType::float_(32));
}

std::optional<double> number_of(const Scalar& s) {
  if (const auto* f = find<FloatImm>(s)) return f->value;
  if (const int64_t* i = find_int(s)) return static_cast<double>(*i);
  return std::nullopt;
}

// Returns the number of steps of an integer range: (end - start) / step, rounded up. `by` is the value of a constant
// step; any other step is taken as positive.
Scalar steps_between(const Scalar& start, const Scalar& end, const Scalar& step, const int64_t* by) {
  bool from_zero = find_int(start) && *find_int(start) == 0;
  if (by && *by == 1) return from_zero ? end : end - start;
  Scalar span = by ? end + int_imm(*by + (*by < 0 ? 1 : -1)) : end + step;
  if (!from_zero) span = span - start;
  return floor_div(by ? span : span - int_imm(1), step);
}

// Returns the number of steps of a float range, an expression that is evaluated at run time.
Scalar real_steps(const Scalar& start, const Scalar& end, const Scalar& step) {
  DType real = start->dtype.is_float() ? start->dtype : end->dtype.is_float() ? end->dtype : step->dtype;
  auto as_real = [&](const Scalar& s) {
    auto number = number_of(s);
    return number ? constant(real, *number) : cast_to(real, s);
  };
  Scalar span = number_of(start) == 0.0 ? as_real(end) : as_real(end) - as_real(start);
  if (number_of(step) != 1.0) span = divide(span, as_real(step));
  return Cast::make(DType::int_(64), intrinsic("ceil", span));
}

Type infer_arange(const InferInput& in) {
  Scalar v[3];
  for (size_t i = 0; i < 3; ++i) read_scalar(in, i, v[i]);  // C1
  DType dtype = in.dtype_attr("dtype");
  if (!v[0] || !v[1] || !v[2]) return TensorType::make_unknown(dtype, 1);
  if (v[0]->dtype.is_int() && v[1]->dtype.is_int() && v[2]->dtype.is_int()) {
    Scalar start = as_index(v[0]), end = as_index(v[1]), step = as_index(v[2]);
    const int64_t* by = find_int(step);
    if (by && *by == 0) in.error("E0203", "`step` cannot be 0");  // C2
    Scalar size = number_or(in, steps_between(start, end, step, by));
    return TensorType::make({find_int(size) && *find_int(size) < 0 ? int_imm(0) : size}, dtype);
  }
  const auto start = number_of(v[0]), end = number_of(v[1]), step = number_of(v[2]);
  if (!start || !end || !step) return TensorType::make({real_steps(v[0], v[1], v[2])}, dtype);
  if (*step == 0) in.error("E0203", "`step` cannot be 0");
  const double count = std::ceil((*end - *start) / *step);
  if (!(std::abs(count) < 0x1p63))
    in.error("E0203", fmt::format("from {} to {} in steps of {} has no number of elements", *start, *end, *step));
  return TensorType::make({int_imm(static_cast<int64_t>(std::max(0.0, count)))}, dtype);
}

Ref<BaseFunc> lower_arange(const Call& call) {
  return filled(call, "arange", [&](const Indices& at, DType t) {
    auto literal = [&](size_t i) {
      Scalar s = scalar_value(call.args[i]);
      auto number = number_of(s);
      return number ? constant(t, *number) : cast_to(t, s);
    };
    return literal(0) + cast_to(t, at[0]) * literal(2);
  });
}

Type infer_hamming(const InferInput& in) {
  Scalar v[4];
  for (size_t i = 0; i < 4; ++i) read_scalar(in, i, v[i]);  // C1
  DType dtype = in.dtype_attr("dtype");
  need_dtype(in, dtype.is_float(), "dtype", "float", dtype);  // C2
  need_count(in, v[0]);                                       // C3
  if (!v[0]) return TensorType::make_unknown(dtype, 1);
  return TensorType::make({as_index(v[0])}, dtype);
}

// Element i of a hamming_window is alpha - beta * cos(2 pi i / n), where n is the size, less 1 for a symmetric window;
// a window of size 1 is 1.
Ref<BaseFunc> lower_hamming(const Call& call) {
  constexpr double kTwoPi = 6.283185307179586;
  return filled(call, "hamming_window", [&](const Indices& at, DType t) {
    auto number = [&](size_t i) { return constant(t, number_of(scalar_value(call.args[i])).value_or(0)); };
    Scalar size = as_index(scalar_value(call.args[0]));
    bool periodic = number_of(scalar_value(call.args[1])).value_or(0) != 0;
    Scalar period = periodic ? size : max(size - int_imm(1), int_imm(1));
    Scalar angle = divide(cast_to(t, at[0]) * constant(t, kTwoPi), cast_to(t, period));
    return Select::make(equals(size, int_imm(1)), constant(t, 1), number(2) - number(3) * intrinsic("cos", angle));
  });
}

Type infer_triangle(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank != kUnknownRank && x.rank < 2)  // C1
    in.error("E0307", fmt::format("`x` must have rank 2 or more, got {}", x.rank));
  Scalar k;
  read_scalar(in, 1, k);  // C2
  return in.type(0);
}

template <bool kUpper>
Ref<BaseFunc> lower_triangle(const Call& call) {
  KernelBuilder kb(kUpper ? "triu" : "tril");
  Ref<Buffer> x = kb.input("A", call.args[0]->type), y = kb.output("T_tri", call.type);
  Scalar k = as_index(scalar_value(call.args[1]));
  kb.compute(y, "T_tri", [&](const Indices& at) {
    const Scalar &row = at[at.size() - 2], &column = at.back();
    Scalar diagonal = row + k;
    Scalar keep = kUpper ? at_least(column, diagonal) : at_least(diagonal, column);
    return Select::make(keep, load(x, at), constant(y->dtype, 0));
  });
  return std::move(kb).finish();
}

OpParam dtype_or_same() { return dtype_param("dtype", "the dtype of the result; None: that of x", AttrValue()); }

using Kind = TensorWish::Kind;

OpSample sample_full_like(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number});
  return {{x, s.beside(x, {})}};
}
OpSample sample_constant(Sampler& s) {
  return {{ShapeExpr::make(s.dims(0, 3, Sizes::Whole))}, {{"dtype", s.dtype(Kind::Number)}}};
}
OpSample sample_full(Sampler& s) {
  const DType dtype = s.dtype(Kind::Float);
  return {{ShapeExpr::make(s.dims(0, 3, Sizes::Whole)), float_argument(2.5, dtype)}, {{"dtype", dtype}}};
}

OpSample sample_eye_like(Sampler& s) {
  OpSample sample{{s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 2}), int_argument(s.between(-2, 2))}};
  if (s.chance(40)) sample.attrs["dtype"] = s.dtype(Kind::Number);
  return sample;
}
OpSample sample_window(Sampler& s) {
  Expr is_periodic = PrimValue::make(IntImm::make(DType::bool_(), s.between(0, 1)));
  return {{int_argument(s.between(0, 9)), is_periodic, float_argument(0.54), float_argument(0.46)},
          {{"dtype", s.dtype(Kind::Float)}}};
}
OpSample sample_eye(Sampler& s) {
  return {{int_argument(s.between(1, 4)), int_argument(s.between(1, 4)), int_argument(s.between(-2, 2))},
          {{"dtype", s.dtype(Kind::Number)}}};
}
OpSample sample_arange(Sampler& s) {
  const int64_t start = s.between(-3, 3);
  return {{int_argument(start), int_argument(start + s.between(1, 9)), int_argument(s.between(1, 3))},
          {{"dtype", DType::int_(64)}}};
}
OpSample sample_triangle(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2});
  return {{x, int_argument(s.between(-2, 2))}};
}

void register_filled(OpTable& ops) {
  ops.add({.name = "full",
           .summary = "A tensor of this shape, filled with one value.",
           .params = {{"shape", "shape", ParamKind::Shape},
                      {"fill_value", "scalar, or tensor of rank 0 (C1)", ParamKind::Value},
                      dtype_param("dtype", "the dtype; None: that of the value", AttrValue())},
           .constraints = {"C1: the value is a scalar"},
           .infer = infer_full,
           .lower = lower_full,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .sample = sample_full});
  ops.add({.name = "full_like",
           .summary = "A tensor shaped as x, filled with one value.",
           .params = {{"x", "tensor"},
                      {"fill_value", "scalar, or tensor of rank 0 (C1)", ParamKind::Value},
                      dtype_or_same()},
           .constraints = {"C1: the value is a scalar"},
           .infer = infer_full_like,
           .lower = lower_full,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .sample = sample_full_like});
  for (bool one : {true, false}) {
    ops.add({.name = one ? "ones" : "zeros",
             .summary = one ? "A tensor of ones." : "A tensor of zeros.",
             .params = {{"shape", "shape", ParamKind::Shape}, dtype_param("dtype", "the dtype (C1)")},
             .constraints = {"C1: dtype names a dtype"},
             .infer = infer_filled,
             .lower = one ? lower_constant<1> : lower_constant<0>,
             .fuse = Fuse::Injective,
             .sample = sample_constant});
    ops.add({.name = one ? "ones_like" : "zeros_like",
             .summary = one ? "A tensor of ones, shaped as x." : "A tensor of zeros, shaped as x.",
             .params = {{"x", "tensor"}, dtype_or_same()},
             .infer = infer_filled_like,
             .lower = one ? lower_constant_like<1> : lower_constant_like<0>,
             .fuse = Fuse::Injective,
             .sample = sample_unary<TensorWish::Kind::Number>});
  }
}

}  // namespace

void register_create_ops(OpTable& ops) {
  register_filled(ops);
  ops.add({.name = "eye",
           .summary = "Ones on a diagonal, zeros elsewhere.",
           .params = {scalar_param("n", "rows (C1, C2)"),
                      scalar_param("m", "columns; None: as many as rows (C1, C2)", AttrValue()),
                      scalar_param("k", "the diagonal: 0 the main one, above it positive (C1)", 0),
                      dtype_param("dtype", "the dtype", "float32")},
           .constraints = {"C1: all are scalars", "C2: rows and columns are at least 0"},
           .infer = infer_eye,
           .lower = lower_eye,
           .canonical = eye_canonical,
           .fuse = Fuse::Injective,
           .sample = sample_eye});
  ops.add({.name = "eye_like",
           .summary = "Ones on a diagonal, zeros elsewhere, shaped as x.",
           .params = {{"x", "matrix (C2)"}, scalar_param("k", "the diagonal", 0), dtype_or_same()},
           .constraints = {"C1: k is a scalar", "C2: x has rank 2"},
           .infer = infer_eye_like,
           .lower = lower_eye_like,
           .fuse = Fuse::Injective,
           .sample = sample_eye_like});
  ops.add({.name = "arange",
           .summary = "start, start + step, … below end. With one argument it is the end.",
           .params = {scalar_param("start", "the first value (C1)"),
                      scalar_param("end", "no value reaches it", AttrValue()),
                      scalar_param("step", "from one value to the next (C2)", 1),
                      dtype_param("dtype", "None: int64 when all are integers, else float32", AttrValue())},
           .constraints = {"C1: all are scalars", "C2: step is not 0"},
           .infer = infer_arange,
           .lower = lower_arange,
           .canonical = arange_canonical,
           .fuse = Fuse::Injective,
           .sample = sample_arange});
  ops.add(
      {.name = "hamming_window",
       .summary = "alpha - beta * cos(2 pi i / n); a window of one value is 1.",
       .params = {scalar_param("window_size", "the number of values (C1, C3)"),
                  scalar_param("periodic", "n is the size, not one less (C1)"), scalar_param("alpha", "scalar (C1)"),
                  scalar_param("beta", "scalar (C1)"), dtype_param("dtype", "a float dtype (C2)")},
       .constraints = {"C1: all are scalars", "C2: the dtype is a float", "C3: window_size is at least 0"},
       .infer = infer_hamming,
       .lower = lower_hamming,
       .fuse = Fuse::Injective,
       .sample = sample_window});
  for (bool upper : {false, true})
    ops.add({.name = upper ? "triu" : "tril",
             .summary = upper ? "x with zeros below a diagonal." : "x with zeros above a diagonal.",
             .params = {{"x", "tensor of rank >= 2 (C1)"}, scalar_param("k", "the diagonal (C2)", 0)},
             .constraints = {"C1: the rank is at least 2", "C2: k is a scalar"},
             .infer = infer_triangle,
             .lower = upper ? lower_triangle<true> : lower_triangle<false>,
             .fuse = Fuse::Injective,
             .precision = Precision::Follow,
             .sample = sample_triangle});
}

}  // namespace sunmao
