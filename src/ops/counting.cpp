// Ops that combine elements by index: embedding bags, histograms, and the sum of overlapping windows (col2im).
#include <fmt/format.h>

#include "ops/axis_layout.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

void need_indices(const InferInput& in, size_t i) {
  const DType t = in.tensor(i).dtype;
  need_dtype(in, t.is_void() || t.is_int(), in.op.inputs()[i]->name, "integer", t);
}

Type infer_embedding_bag(const InferInput& in) {
  const TensorType &weight = in.tensor(0), &offsets = in.tensor(2);
  need_float(in, weight);  // C1
  need_indices(in, 1);     // C2
  need_indices(in, 2);
  need_rank(in, 0, 2);  // C3
  need_rank(in, 1, 1);
  need_rank(in, 2, 1);
  const std::string mode = word_attr(in, "mode", {"sum", "mean", "max"});  // C4
  if (in.has(3)) {
    need_float(in, in.tensor(3));
    need_rank(in, 3, 1);
    if (mode != "sum") in.error("E0203", fmt::format("`per_sample_weights` go with mode `sum`, not `{}`", mode));  // C5
    const std::vector<Scalar>*own = in.tensor(3).dims(), *indices = in.tensor(1).dims();
    if (own && indices && !in.can_agree(own->front(), indices->front()))
      in.error("E0309", fmt::format("{} weights for {} indices", describe(own->front()), describe(indices->front())));
  }
  if (!written(weight) || !written(offsets)) return TensorType::make_unknown(weight.dtype, 2, weight.vdevice);
  const Scalar bags = written(offsets)->front() - int_imm(in.bool_attr("include_last_offset"));
  return TensorType::make({in.analyzer().simplify(bags), written(weight)->back()}, weight.dtype, weight.vdevice);
}

Ref<BaseFunc> lower_embedding_bag(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("embedding_bag");
  Ref<Buffer> weight = k.input("weight", call.args[0]->type), indices = k.input("indices", call.args[1]->type),
              offsets = k.input("offsets", call.args[2]->type);
  Ref<Buffer> scale = in.has(3) ? k.input("scale", call.args[3]->type) : Ref<Buffer>();
  Ref<Buffer> y = k.output("T_bag", call.type);
  const std::string mode = in.string_attr("mode");
  const DType wide = accumulator(weight->dtype);
  const Cell total("total", wide), count("count", DType::int_(64));
  const Scalar zero = constant(wide, 0), none = int_imm(0), left_out = int_imm(in.int_attr("padding_idx"));
  std::vector<Ref<Buffer>> reads{weight, indices, offsets};
  if (scale) reads.push_back(scale);
  auto body = [&](const Indices& at) {
    // Offsets are positions in `indices`, or one past its end.
    auto place = [&](const Scalar& bag) {
      return checked(call, as_index(load(offsets, {bag})), indices->shape[0] + int_imm(1));
    };
    Scalar begin = place(at[0]), next = at[0] + int_imm(1);
    Scalar end = choose(less(next, offsets->shape[0]), place(next), indices->shape[0]);
    Stmt add = repeat("i", end - begin, [&](const Scalar& i) {
      return let("row", as_index(load(indices, {begin + i})), [&](const Scalar& row) {
        Scalar value = cast_to(wide, load(weight, {checked(call, row, weight->shape[0]), at[1]}));
        if (scale) value = value * cast_to(wide, load(scale, {begin + i}));
        Scalar joined =
            mode != "max" ? total.get() + value : choose(equals(count.get(), none), value, max(total.get(), value));
        Stmt take = in_order({total.set(joined), count.set(count.get() + int_imm(1))});
        return when(Binary::make(BinaryOp::Ne, row, left_out), take);
      });
    });
    Scalar result = mode != "mean"
                        ? total.get()
                        : choose(equals(count.get(), none), zero, divide(total.get(), Cast::make(wide, count.get())));
    return in_order({total.set(zero), count.set(none), add, store(y, at, result)});
  };
  k.steps({.name = "embedding_bag",
           .spatial = y->shape,
           .reads = reads,
           .writes = {y},
           .locals = {total.buffer(), count.buffer()},
           .body = body});
  return std::move(k).finish();
}

Type infer_histogram(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  need_float(in, x);  // C1
  const int64_t bins = in.int_attr("bins");
  if (bins < 1) in.error("E0203", fmt::format("`bins` must be at least 1, got {}", bins));  // C2
  const double low = in.float_attr("min"), high = in.float_attr("max");
  if (!(low < high))
    in.error("E0203", fmt::format("`min` is {}, `max` {}: there is nothing between", low, high));  // C3
  return TensorType::make({int_imm(bins)}, x.dtype, x.vdevice);
}

// A bin includes its lower bound and the last bin also its upper bound; values outside the range and NaN are not
// counted.
Ref<BaseFunc> lower_histogram(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("histogram");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_count", call.type);
  const DType wide = accumulator(x->dtype);
  const int64_t bins = in.int_attr("bins");
  const double low = in.float_attr("min"), high = in.float_attr("max");
  auto bound = [&](double value) { return constant(wide, value); };
  auto body = [&](const Indices&) {
    Stmt clear = repeat("b", int_imm(bins), [&](const Scalar& b) { return store(y, {b}, constant(y->dtype, 0)); });
    Stmt count = repeat("i", product(x->shape), [&](const Scalar& i) {
      return let("value", cast_to(wide, load(x, split_index(i, x->shape))), [&](const Scalar& value) {
        Scalar place = divide((value - bound(low)) * bound(static_cast<double>(bins)), bound(high - low));
        Stmt add = let("bin", min(as_index(intrinsic("floor", place)), int_imm(bins - 1)),
                       [&](const Scalar& bin) { return store(y, {bin}, load(y, {bin}) + constant(y->dtype, 1)); });
        return when(both(at_least(value, bound(low)), at_most(value, bound(high))), add);
      });
    });
    return in_order({clear, count});
  };
  k.steps({.name = "histogram", .spatial = {int_imm(1)}, .reads = {x}, .writes = {y}, .locals = {}, .body = body});
  return std::move(k).finish();
}

struct Folding {
  explicit Folding(const InferInput& in)
      : image(spatial_attr(in, "output_size", 2, 1)), kernel(spatial_attr(in, "kernel_size", 2, 1)),
        strides(spatial_attr(in, "strides", 2, 1)), dilation(spatial_attr(in, "dilation", 2, 1)),
        padding(spatial_attr(in, "padding", 4, 0)) {}
  /// Returns the number of windows of the image along spatial axis `i`.
  int64_t windows(size_t i) const {
    return (image[i] + padding[i] + padding[i + 2] - dilation[i] * (kernel[i] - 1) - 1) / strides[i] + 1;
  }
  std::vector<int64_t> image, kernel, strides, dilation, padding;
};

Type infer_col2im(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  need_rank(in, 0, 3);  // C1
  const Folding f(in);  // C2
  if (!written(x)) return TensorType::make_unknown(x.dtype, 4, x.vdevice);
  const std::vector<Scalar>& dims = *written(x);
  const int64_t taps = f.kernel[0] * f.kernel[1], windows = f.windows(0) * f.windows(1);
  if (!in.can_agree(dims[2], int_imm(windows)))  // C3
    in.error("E0309", fmt::format("`data` has {} windows, the image {}", describe(dims[2]), windows));
  if (!in.can_agree(floor_mod(dims[1], int_imm(taps)), int_imm(0)))  // C3
    in.error("E0309",
             fmt::format("{} values of each window are not divisible by its {} taps", describe(dims[1]), taps));
  Scalar channels = in.analyzer().simplify(floor_div(dims[1], int_imm(taps)));
  return TensorType::make({dims[0], channels, int_imm(f.image[0]), int_imm(f.image[1])}, x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_col2im(const Call& call) {
  InferInput in = input_of(call);
  const Folding f(in);
  KernelBuilder k("col2im");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_fold", call.type);
  k.reduce(y, "T_fold", {int_imm(f.kernel[0]), int_imm(f.kernel[1])}, summed(y->dtype),
           [&](const Indices& at, const Indices& r) {
             Scalar window = int_imm(0), inside = truth(true);
             for (size_t i = 0; i < 2; ++i) {
               Scalar from = at[i + 2] + int_imm(f.padding[i]) - r[i] * int_imm(f.dilation[i]);
               Scalar place = floor_div(from, int_imm(f.strides[i]));
               inside = both(inside, equals(floor_mod(from, int_imm(f.strides[i])), int_imm(0)));
               inside = both(inside, both(at_least(from, int_imm(0)), less(place, int_imm(f.windows(i)))));
               window = window * int_imm(f.windows(i)) + place;
             }
             Scalar row = (at[1] * int_imm(f.kernel[0]) + r[0]) * int_imm(f.kernel[1]) + r[1];
             return choose(inside, load(x, {at[0], row, window}), constant(y->dtype, 0));
           });
  return std::move(k).finish();
}

OpSample sample_embedding_bag(Sampler& s) {
  const int64_t rows = s.between(1, 5), count = s.between(1, 6);
  const std::string mode = s.one_of<std::string>({"sum", "mean", "max"});
  auto integers = [&](int64_t length, Values order, int64_t limit) {
    return s.tensor({.dims = sizes({length}), .dtype = DType::int_(64), .values = order, .limit = limit});
  };
  Expr weight = s.tensor(
      {.dims = sizes({rows, s.between(1, 3)}), .dtype = s.dtype(TensorWish::Kind::Float), .values = Values::Finite});
  const bool has_end = s.chance(50);
  Expr offsets = integers(s.between(1, 3) + has_end, Values::Ascending, count + 1);
  Expr indices = integers(count, Values::Index, rows);
  OpSample out{{weight, indices, offsets}, {{"mode", mode}, {"include_last_offset", has_end}}};
  if (mode == "sum" && s.chance(50))
    out.args.push_back(s.tensor({.dims = sizes({count}), .dtype = sampled_dtype(weight), .values = Values::Finite}));
  if (s.chance(40)) out.attrs["padding_idx"] = s.between(0, rows - 1);
  return out;
}

OpSample sample_histogram(Sampler& s) {
  return {{s.tensor({.max_rank = 3})},
          {{"bins", s.between(1, 6)}, {"min", -1.0}, {"max", static_cast<double>(s.between(0, 2))}}};
}

OpSample sample_col2im(Sampler& s) {
  const int64_t height = s.between(3, 5), width = s.between(3, 5), rows = s.between(1, 3), columns = s.between(1, 2);
  const int64_t step = s.between(1, 2), pad = s.between(0, 1), dilation = s.between(1, rows == 3 ? 1 : 2);
  auto windows = [&](int64_t size, int64_t taps) { return (size + 2 * pad - dilation * (taps - 1) - 1) / step + 1; };
  Expr x = s.tensor({.dims = sizes({s.between(1, 2), s.between(1, 2) * rows * columns,
                                    windows(height, rows) * windows(width, columns)}),
                     .dtype = DType::float_(32)});
  return {{x},
          {{"output_size", AttrValue::ints({height, width})},
           {"kernel_size", AttrValue::ints({rows, columns})},
           {"strides", AttrValue::ints({step, step})},
           {"padding", AttrValue::ints({pad, pad})},
           {"dilation", AttrValue::ints({dilation, dilation})}}};
}

}  // namespace

void register_counting_ops(OpTable& ops) {
  ops.add(
      {.name = "nn.embedding_bag",
       .summary = "The sum, mean or maximum of the rows that each bag of indices names; of an empty bag 0.",
       .params = {{"weight", "float matrix (C1, C3)"},
                  {"indices", "integer vector: rows of all bags, one behind the other (C2, C3)"},
                  {"offsets", "integer vector: where each bag begins (C2, C3)"},
                  optional_param("per_sample_weights", "float vector: what each row is multiplied by; None: 1 (C5)"),
                  string_param("mode", "sum, mean or max (C4, C5)", "sum"),
                  int_param("padding_idx", "an index that counts for nothing; -1: none", -1),
                  bool_param("include_last_offset", "the last offset is the end of the last bag", false)},
       .constraints = {"C1: the weight is a float", "C2: indices and offsets are integers", "C3: ranks 2, 1 and 1",
                       "C4: mode is one of the words",
                       "C5: per_sample_weights are as many as indices, and go with sum"},
       .infer = infer_embedding_bag,
       .lower = lower_embedding_bag,
       .sample = sample_embedding_bag});
  ops.add({.name = "histogram",
           .summary = "How many elements lie in each of `bins` equal parts of [min, max].",
           .params = {{"x", "float tensor (C1)"},
                      int_param("bins", "how many parts (C2)", 100),
                      float_param("min", "the lower end (C3)", 0.0),
                      float_param("max", "the upper end, which is part of the last bin (C3)", 1.0)},
           .constraints = {"C1: the dtype is a float", "C2: bins is at least 1", "C3: min is less than max"},
           .infer = infer_histogram,
           .lower = lower_histogram,
           .sample = sample_histogram});
  ops.add({.name = "nn.col2im",
           .summary = "The image of which windows are the columns; where windows overlap, their sum.",
           .params = {{"data", "tensor (n, channels * taps, windows) (C1, C3)"},
                      ints_param("output_size", "height and width of the image (C2, C3)"),
                      ints_param("kernel_size", "rows and columns of a window (C2, C3)"),
                      ints_param("strides", "the step from one window to the next (C2)", 1),
                      ints_param("padding", "before and behind: one value, one for each axis, or all (C2)", 0),
                      ints_param("dilation", "the step within a window (C2)", 1)},
           .constraints = {"C1: the rank is 3",
                           "C2: sizes, strides and dilation at least 1, padding at least 0, as many as axes",
                           "C3: data has the windows of the image, with all their taps"},
           .infer = infer_col2im,
           .lower = lower_col2im,
           .canonical =
               [](std::vector<Expr>&, AttrMap& attrs) {
                 for (const char* name : {"output_size", "kernel_size", "strides", "dilation"})
                   repeat_value(attrs, name, 2);
                 mirror_padding(attrs, 2);
               },
           .sample = sample_col2im});
}

}  // namespace sunmao
