// Signal processing: windows sliding along an axis, and discrete Fourier transforms. A complex number is stored in the
// last axis, of size 2: its real and its imaginary part.
#include <fmt/format.h>

#include "ops/dft_products.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

int64_t positive_attr(const InferInput& in, const std::string& name) {
  const int64_t value = in.int_attr(name);
  if (value < 1) in.error("E0203", fmt::format("`{}` must be at least 1, got {}", name, value));
  return value;
}

Type infer_sliding_window(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const int64_t size = positive_attr(in, "size"), step = positive_attr(in, "step");  // C2
  if (x.rank == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  const size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C1
  if (x.dims() && !in.can_reach((*x.dims())[axis], int_imm(size)))                          // C3
    in.error("E0203", fmt::format("a window of {} does not fit into {} elements", size, describe((*x.dims())[axis])));
  if (!written(x)) return TensorType::make_unknown(x.dtype, x.rank + 1, x.vdevice);
  std::vector<Scalar> dims = *written(x);
  dims[axis] = in.analyzer().simplify(floor_div(dims[axis] - int_imm(size), int_imm(step)) + int_imm(1));
  dims.push_back(int_imm(size));
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_sliding_window(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("sliding_window");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_window", call.type);
  const size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  const Scalar step = int_imm(in.int_attr("step"));
  k.compute(y, "T_window", [&](const Indices& at) {
    Indices from(at.begin(), at.end() - 1);
    from[axis] = at[axis] * step + at.back();
    return load(x, from);
  });
  return std::move(k).finish();
}

// The kind of transform that a call of `signal.dft` requests.
struct Transform {
  bool inverse, onesided;
  size_t axis;
  bool takes_real() const { return onesided && !inverse; }
  bool gives_real() const { return onesided && inverse; }
};

Transform transform_of(const InferInput& in, int rank) {
  return {in.bool_attr("inverse"), in.bool_attr("onesided"),
          static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), rank))};
}

// Returns the number of points: the attribute `length`, else the size of the signal, which is 2 * (bins - 1) when half
// a spectrum of `size` bins is inverted.
Scalar points_of(const InferInput& in, const Transform& t, const Scalar& size) {
  if (!in.attr("length").is_none()) return int_imm(in.int_attr("length"));
  return t.gives_real() ? in.analyzer().simplify((size - int_imm(1)) * int_imm(2)) : size;
}

Type infer_dft(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  need_float(in, x);                                              // C1
  if (!in.attr("length").is_none()) positive_attr(in, "length");  // C4
  if (x.rank == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  if (x.rank < 2) in.error("E0307", fmt::format("`x` needs rank 2 or more, got {}", x.rank));  // C2
  const Transform t = transform_of(in, x.rank);
  if (t.axis + 1 == static_cast<size_t>(x.rank))  // C2
    in.error("E0203", "`axis` cannot be the last one, which holds the parts of complex numbers");
  const Scalar parts = x.dims() ? x.dims()->back() : Scalar();
  const int64_t* count = parts ? find_int(parts) : nullptr;
  const char* wanted = t.inverse ? "2" : t.onesided ? "1" : "1 or 2";
  const bool fits = count && (*count == 2 ? !t.takes_real() : *count == 1 && !t.inverse);
  if (parts && !fits)  // C3
    in.error("E0309", fmt::format("the last dimension holds {} parts, expected {}", describe(parts), wanted));
  if (!written(x)) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  std::vector<Scalar> dims = *written(x);
  Scalar points = points_of(in, t, dims[t.axis]);
  dims[t.axis] = t.takes_real() ? in.analyzer().simplify(floor_div(points, int_imm(2)) + int_imm(1)) : points;
  dims.back() = int_imm(t.gives_real() ? 1 : 2);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

// Kernel of signal.dft: evaluates the sum directly, with tables of sine and cosine of all angles. The signal is cut or
// zero-padded to the number of points.
Ref<BaseFunc> lower_dft(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("dft");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_dft", call.type);
  const Transform t = transform_of(in, x->rank());
  const Scalar size = x->shape[t.axis], points = points_of(in, t, size);
  const DType wide = accumulator(x->dtype), exact = DType::float_(64);
  const bool is_complex = *find_int(x->shape.back()) == 2;
  auto table = [&](const char* function) {
    constexpr double kTurn = 6.283185307179586;
    Ref<Buffer> values = k.alloc(function, wide, {points});
    k.compute(values, function, [&](const Indices& at) {
      Scalar angle = Cast::make(exact, at[0]) * constant(exact, t.inverse ? kTurn : -kTurn);
      angle = divide(angle, Cast::make(exact, points));
      return cast_to(wide, intrinsic(function, angle));
    });
    return values;
  };
  Ref<Buffer> cosines = table("cos"), sines = table("sin"), sums = k.alloc("sums", wide, y->shape);
  // The missing half of a one-sided spectrum is the complex conjugate of its mirror image.
  k.reduce(sums, "sums", {points}, summed(wide), [&](const Indices& at, const Indices& r) {
    Scalar turn = floor_mod(at[t.axis] * r[0], points);
    Scalar bin = r[0], sign = constant(wide, 1);
    if (t.gives_real()) {
      Scalar mirrored = less(floor_div(points, int_imm(2)), bin);
      bin = Select::make(mirrored, points - bin, bin);
      sign = Select::make(mirrored, constant(wide, -1), constant(wide, 1));
    }
    auto part = [&](int64_t i) {
      Indices from = with_index(at, t.axis, bin);
      from.back() = int_imm(i);
      return choose(less(bin, size), cast_to(wide, load(x, from)), constant(wide, 0));
    };
    Scalar cosine = load(cosines, {turn}), sine = load(sines, {turn});
    Scalar real = part(0) * cosine, imaginary = part(0) * sine;
    if (is_complex) {
      real = real - part(1) * sign * sine;
      imaginary = imaginary + part(1) * sign * cosine;
    }
    return t.gives_real() ? real : choose(equals(at.back(), int_imm(0)), real, imaginary);
  });
  k.compute(y, "T_dft", [&](const Indices& at) {
    Scalar sum = load(sums, at);
    return cast_to(y->dtype, t.inverse ? divide(sum, Cast::make(wide, points)) : sum);
  });
  return std::move(k).finish();
}

// Decomposes signal.dft into products with matrices where all sizes along the axis are known.
Expr decompose_dft(const Call& call) {
  InferInput in = input_of(call);
  const TensorType& x = in.tensor(0);
  if (!written(x)) return Expr(&call);
  const Transform t = transform_of(in, x.rank);
  const Scalar& size = (*written(x))[t.axis];
  const int64_t *given = find_int(size), *parts = find_int(written(x)->back());
  const Scalar count = points_of(in, t, size);
  const int64_t* points = find_int(count);
  if (!given || !parts || !points || *given < 1 || *points < 1) return Expr(&call);
  const Expr out = dft_by_products(in, call,
                                   {.points = *points,
                                    .given = *given,
                                    .bins = t.takes_real() ? *points / 2 + 1 : *points,
                                    .parts_in = *parts,
                                    .parts_out = t.gives_real() ? 1 : 2,
                                    .axis = t.axis,
                                    .inverse = t.inverse,
                                    .half = t.onesided});
  return out ? out : Expr(&call);
}

Type infer_stft(const InferInput& in) {
  const TensorType &x = in.tensor(0), &window = in.tensor(1);
  need_float(in, x);  // C1
  need_float(in, window);
  need_one_dtype(in, 1, 0);
  need_rank(in, 0, 3);  // C2
  need_rank(in, 1, 1);
  const int64_t step = positive_attr(in, "step");  // C3
  if (!written(x) || !written(window)) return TensorType::make_unknown(x.dtype, 4, x.vdevice);
  const Scalar &length = (*written(x))[1], &size = written(window)->front();
  const int64_t* points = find_int(size);
  if (!points || *points < 1)  // C4
    in.error("E0309", fmt::format("`window` must have a known size of at least 1, got {}", describe(size)));
  if (!in.can_reach(length, size))
    in.error("E0309", fmt::format("a window of {} does not fit into a signal of {}", describe(size), describe(length)));
  const Scalar& parts = written(x)->back();
  const int64_t* count = find_int(parts);
  if (!count || (*count != 1 && (*count != 2 || in.bool_attr("onesided"))))  // C5
    in.error("E0309", fmt::format("the last dimension of `x` holds {} parts, expected 1, or 2 for whole spectra",
                                  describe(parts)));
  Scalar frames = in.analyzer().simplify(floor_div(length - size, int_imm(step)) + int_imm(1));
  const int64_t bins = in.bool_attr("onesided") ? *points / 2 + 1 : *points;
  return TensorType::make({written(x)->front(), frames, int_imm(bins), int_imm(2)}, x.dtype, x.vdevice);
}

// Decomposes signal.stft: extracts frames, multiplies them by the window and transforms them; floats narrower than 32
// bits are computed in float32.
Expr decompose_stft(const Call& call) {
  InferInput in = input_of(call);
  const std::vector<Scalar>* window = written(in.tensor(1));
  if (!window || !find_int(window->front())) return Expr(&call);
  auto make = [&](const char* op, std::vector<Expr> args, AttrMap attrs) {
    return Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)), {}, call.span);
  };
  Expr frames = make("sliding_window", {call.args[0]},
                     {{"axis", int64_t{1}}, {"size", *find_int(window->front())}, {"step", in.int_attr("step")}});
  frames = make("permute_dims", {frames}, {{"axes", AttrValue::ints({0, 1, 3, 2})}});
  Expr weights = make("expand_dims", {call.args[1]}, {{"axis", AttrValue::ints({1})}});
  const DType dtype = in.tensor(0).dtype, wide = dtype.is_void() ? dtype : accumulator(dtype);
  auto as = [&](DType to, const Expr& e) { return wide == dtype ? e : make("astype", {e}, {{"dtype", to}}); };
  Expr weighted = make("multiply", {as(wide, frames), as(wide, weights)}, {});
  return as(dtype, make("signal.dft", {weighted}, {{"axis", int64_t{2}}, {"onesided", in.bool_attr("onesided")}}));
}

OpSample sample_sliding_window(Sampler& s) {
  Expr x = s.tensor({.kind = TensorWish::Kind::Number, .min_rank = 1, .max_rank = 3, .size = Sizes::Whole});
  const int64_t axis = s.axis(sampled_rank(x));
  const int64_t length = *find_int(dim_along(axis, x));
  return {{x}, {{"axis", axis}, {"size", s.between(1, length)}, {"step", s.between(1, 3)}}};
}

OpSample sample_dft(Sampler& s) {
  const bool inverse = s.chance(50), onesided = s.chance(50);
  const int64_t parts = inverse ? 2 : onesided ? 1 : s.between(1, 2);
  Dims dims = sizes({s.between(1, 3), s.between(2, 7), parts});
  if (s.chance(30)) dims.insert(dims.begin(), int_imm(s.between(0, 2)));
  Expr x = s.tensor({.dims = dims, .dtype = s.dtype(TensorWish::Kind::Float), .values = Values::Finite});
  AttrMap attrs{{"axis", int64_t{-2}}, {"inverse", inverse}, {"onesided", onesided}};
  if (s.chance(40)) attrs["length"] = s.between(1, 9);
  return {{x}, attrs};
}

OpSample sample_stft(Sampler& s) {
  const bool onesided = s.chance(60);
  const int64_t size = s.between(1, 6);
  Expr x = s.tensor({.dims = sizes({s.between(1, 2), size + s.between(0, 8), onesided ? 1 : s.between(1, 2)}),
                     .dtype = s.dtype(TensorWish::Kind::Float),
                     .values = Values::Finite});
  Expr window = s.tensor({.dims = sizes({size}), .dtype = sampled_dtype(x), .values = Values::Finite});
  return {{x, window}, {{"step", s.between(1, 4)}, {"onesided", onesided}}};
}

}  // namespace

void register_signal_ops(OpTable& ops) {
  ops.add({.name = "sliding_window",
           .summary =
               "The windows of `size` elements along an axis, each `step` behind the one before, as a new last axis.",
           .params = {{"data", "tensor"},
                      int_param("axis", "the axis (C1)"),
                      int_param("size", "elements of a window (C2, C3)"),
                      int_param("step", "from one window to the next (C2)", 1)},
           .constraints = {"C1: axis is in [-rank, rank - 1]", "C2: size and step are at least 1",
                           "C3: one window fits into the axis"},
           .infer = infer_sliding_window,
           .lower = lower_sliding_window,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .sample = sample_sliding_window});
  ops.add(
      {.name = "signal.dft",
       .summary = "The discrete Fourier transform along an axis; the inverse one is divided by the number of points.",
       .params = {{"x", "float tensor; the last axis holds the real part, or both parts (C1, C2, C3)"},
                  int_param("axis", "the axis of the signal, not the last one (C2)", -2),
                  int_param("length", "points, cut off or filled with 0; None: those of the signal (C4)", AttrValue()),
                  bool_param("inverse", "from a spectrum back to its signal", false),
                  bool_param("onesided", "of a real signal's spectrum the first half alone, which has all of it",
                             false)},
       .constraints = {"C1: the dtype is a float", "C2: the rank is at least 2, and the axis is not the last",
                       "C3: the last dimension is 1 or 2: a real signal where half the spectrum is taken, complex "
                       "where it is inverted",
                       "C4: length is at least 1"},
       .infer = infer_dft,
       .lower = lower_dft,
       .decompose = decompose_dft,
       .sample = sample_dft});
  ops.add({.name = "signal.stft",
           .summary = "The spectra of a signal's windows, (batch, frames, bins, 2).",
           .params = {{"x", "float tensor (batch, length, parts) (C1, C2, C5)"},
                      {"window", "float vector: what each frame is multiplied by (C1, C2, C4)"},
                      int_param("step", "from one frame to the next (C3)"),
                      bool_param("onesided", "the first half of each spectrum alone", true)},
           .constraints = {"C1: both have one float dtype", "C2: ranks 3 and 1", "C3: step is at least 1",
                           "C4: the window's size is known and not larger than the signal",
                           "C5: x has one part, or two where whole spectra are wanted"},
           .infer = infer_stft,
           .decompose = decompose_stft,
           .sample = sample_stft});
}

}  // namespace sunmao
