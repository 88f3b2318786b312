#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample embedding_bag(Sampler& s) {
  const int64_t rows = s.between(1, 5), count = s.between(1, 6);
  const std::string mode = s.one_of<std::string>({"sum", "mean", "max"});
  auto integers = [&](int64_t length, int64_t least, int64_t limit) {
    return s.tensor(
        {.dims = sizes({length}), .dtype = DType::int_(64), .values = Values::Index, .least = least, .limit = limit});
  };
  Expr weight = s.tensor(
      {.dims = sizes({rows, s.between(1, 3)}), .dtype = s.dtype(TensorWish::Kind::Float), .values = Values::Finite});
  // One bag, and in half of the cases an end that is written out.
  const bool has_end = s.chance(50);
  Expr offsets = has_end ? integers(2, 1, 2) : integers(1, 0, 1);
  OpSample out{{weight, integers(count, 0, rows), offsets}, {{"mode", mode}, {"include_last_offset", has_end}}};
  if (mode == "sum" && s.chance(50))
    out.args.push_back(s.tensor({.dims = sizes({count}), .dtype = sampled_dtype(weight), .values = Values::Finite}));
  if (s.chance(40)) out.attrs["padding_idx"] = s.between(0, rows - 1);
  return out;
}

OpSample histogram(Sampler& s) {
  return {{s.tensor({.max_rank = 3})},
          {{"bins", s.between(1, 6)}, {"min", -1.0}, {"max", static_cast<double>(s.between(0, 2))}}};
}

OpSample col2im(Sampler& s) {
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

OpSample deform_conv2d(Sampler& s) {
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

void add_counting_samples(SampleTable& t) {
  t["nn.embedding_bag"] = embedding_bag;
  t["histogram"] = histogram;
  t["nn.col2im"] = col2im;
  t["nn.deform_conv2d"] = deform_conv2d;
}

}  // namespace sunmao
