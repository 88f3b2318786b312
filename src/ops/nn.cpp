// Further ops of neural networks: padding, pixel shuffles, dropout.
#include <fmt/format.h>

#include <algorithm>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

int64_t cut_off(int64_t width) { return std::max<int64_t>(-width, 0); }

Scalar padded_size(const InferInput& in, const std::string& mode, const Scalar& size, int64_t before, int64_t behind) {
  const int64_t* known = find_int(size);
  bool mirrors = mode == "reflect", moves = before != 0 || behind != 0;
  if (known && *known + before + behind < 0)  // C3
    in.error("E0309", fmt::format("an axis of {} padded by {} and {} would be {}", *known, before, behind,
                                  *known + before + behind));
  const int64_t cut = cut_off(before) + cut_off(behind);
  const int64_t least = mirrors ? std::max<int64_t>({before, behind, 0}) + 1 : mode == "circular" ? cut + 1 : 1;
  if (moves && mode != "constant" && !in.can_reach(size, int_imm(least)))  // C4
    in.error(
        "E0309",
        fmt::format("an axis of {} cannot be padded by {} and {} in mode \"{}\"", describe(size), before, behind, mode),
        mirrors ? "a mirrored axis grows by less than its size at each end" : "there is nothing to repeat");
  return in.analyzer().simplify(size + int_imm(before + behind));
}

Type infer_pad(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  std::string mode = word_attr(in, "pad_mode", {"constant", "reflect", "replicate", "circular", "edge"});  // C1
  std::vector<int64_t> width = in.ints_attr("pad_width").value_or(std::vector<int64_t>{});
  if (x.rank == kUnknownRank) return in.type(0);
  if (width.size() != 2 * static_cast<size_t>(x.rank))  // C2
    in.error("E0203", fmt::format("`pad_width` holds {} numbers for a tensor of rank {}", width.size(), x.rank),
             "two for each axis: before it and behind it");
  if (!written(x)) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  std::vector<Scalar> dims = *written(x);
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = padded_size(in, mode, dims[i], width[2 * i], width[2 * i + 1]);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

// Maps an out-of-range index into the tensor: wrapped around in what negative widths leave (circular), clamped to the
// edge (replicate), or mirrored (reflect).
Scalar brought_inside(const std::string& mode, const Scalar& i, const Scalar& size, int64_t before, int64_t behind) {
  if (mode == "circular") {
    const Scalar first = int_imm(cut_off(before)), kept = size - int_imm(cut_off(before) + cut_off(behind));
    return first + floor_mod(i - first, kept);
  }
  if (mode == "replicate" || mode == "edge") return max(min(i, size - int_imm(1)), int_imm(0));
  Scalar last = size - int_imm(1);
  Scalar mirrored = Select::make(less(i, int_imm(0)), i * int_imm(-1), i);
  return Select::make(less(last, mirrored), last * int_imm(2) - mirrored, mirrored);
}

Ref<BaseFunc> lower_pad(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("pad");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("PadInput", call.type);
  std::vector<int64_t> width = *in.ints_attr("pad_width");
  std::string mode = in.string_attr("pad_mode");
  Scalar fill = constant(y->dtype, in.float_attr("pad_value"));
  k.compute(y, "PadInput", [&](const Indices& at) {
    Indices from;
    Scalar inside;
    for (size_t i = 0; i < at.size(); ++i) {
      from.push_back(width[2 * i] == 0 ? at[i] : at[i] - int_imm(width[2 * i]));
      if (width[2 * i] == 0 && width[2 * i + 1] == 0) continue;
      if (mode != "constant") {
        from.back() = brought_inside(mode, from.back(), x->shape[i], width[2 * i], width[2 * i + 1]);
        continue;
      }
      Scalar here = both(at_least(from.back(), int_imm(0)), less(from.back(), x->shape[i]));
      inside = inside ? both(inside, here) : here;
    }
    return inside ? choose(inside, load(x, from), fill) : load(x, from);
  });
  return std::move(k).finish();
}

Type infer_pixel_shuffle(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  int64_t r = in.int_attr("upscale_factor");
  if (r < 1) in.error("E0203", fmt::format("`upscale_factor` cannot be {}", r));  // C1
  if (x.rank != kUnknownRank && x.rank < 3)                                       // C2
    in.error("E0307", fmt::format("`data` must have rank 3 or more, got {}", x.rank));
  if (!written(x)) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  std::vector<Scalar> dims = *written(x);
  size_t channel = dims.size() - 3;
  if (!in.can_agree(in.analyzer().simplify(floor_mod(dims[channel], int_imm(r * r))), int_imm(0)))  // C3
    in.error("E0309", fmt::format("{} channels are no multiple of {}", describe(dims[channel]), r * r));
  dims[channel] = in.analyzer().simplify(floor_div(dims[channel], int_imm(r * r)));
  for (size_t i = channel + 1; i < dims.size(); ++i) dims[i] = in.analyzer().simplify(dims[i] * int_imm(r));
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_pixel_shuffle(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("pixel_shuffle");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_pixel_shuffle", call.type);
  Scalar r = int_imm(in.int_attr("upscale_factor"));
  size_t c = x->shape.size() - 3;
  k.compute(y, "T_pixel_shuffle", [&](const Indices& at) {
    Indices from = at;
    from[c] = at[c] * r * r + floor_mod(at[c + 1], r) * r + floor_mod(at[c + 2], r);
    from[c + 1] = floor_div(at[c + 1], r);
    from[c + 2] = floor_div(at[c + 2], r);
    return load(x, from);
  });
  return std::move(k).finish();
}

Type infer_dropout(const InferInput& in) {
  in.tensor(0);
  double rate = in.float_attr("rate");
  if (!(rate >= 0 && rate <= 1)) in.error("E0203", fmt::format("`rate` cannot be {}", rate), "0 to 1");  // C1
  return TupleType::make({in.type(0), in.type(0)});
}

// At inference dropout is the identity, with a mask of ones.
Expr decompose_dropout(const Call& call) {
  Expr ones = Call::make(builtin_ops().get("ones_like"), {call.args[0]}, {}, {}, call.span);
  return Tuple::make({call.args[0], ones}, call.span);
}

using Kind = TensorWish::Kind;

OpSample sample_shuffle(Sampler& s) {
  const int64_t factor = s.between(1, 2);
  const Dims dims = sizes({s.between(1, 2), factor * factor * s.between(1, 2), s.between(1, 3), s.between(1, 3)});
  return {{s.tensor({.dims = dims, .size = Sizes::Whole})}, {{"upscale_factor", factor}}};
}

OpSample sample_dropout(Sampler& s) { return {{s.tensor({.kind = Kind::Float})}, {{"rate", 0.25}}}; }

// Draws padding widths up to 2, but below the size of the axis for "reflect" and at most the size for "circular".
OpSample sample_pad(Sampler& s) {
  static const std::vector<std::string> kModes{"constant", "constant", "reflect", "replicate", "circular"};
  const std::string& mode = s.one_of(kModes);
  Expr x = s.tensor({.min_rank = 1, .size = Sizes::Some});
  std::vector<int64_t> widths;
  for (int64_t i = 0; i < 2 * sampled_rank(x); ++i) {
    const int64_t size = s.size_along(i / 2, x), most = mode == "reflect" ? size - 1 : mode == "circular" ? size : 2;
    widths.push_back(s.between(size > 2 ? -1 : 0, std::min<int64_t>(2, most)));
  }
  return {{x}, {{"pad_width", AttrValue::ints(widths)}, {"pad_value", 0.5}, {"pad_mode", mode}}};
}

}  // namespace

void register_nn_ops(OpTable& ops) {
  ops.add({.name = "nn.pad",
           .summary = "data with elements put before and behind along each axis.",
           .params = {{"data", "tensor"},
                      ints_param("pad_width",
                                 "two numbers for each axis: before and behind; below 0 cuts off (C2, C3, C4)"),
                      string_param("pad_mode",
                                   "\"constant\", \"reflect\", \"replicate\" (or \"edge\"), \"circular\" (C1, C4)",
                                   "constant"),
                      float_param("pad_value", "what is put, in mode \"constant\"", 0.0)},
           .constraints = {"C1: pad_mode is one of the four", "C2: two numbers for each axis",
                           "C3: no axis gets a size below 0", "C4: the mode finds enough elements to repeat"},
           .infer = infer_pad,
           .lower = lower_pad,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_pad,
           .sample = sample_pad});
  ops.add({.name = "nn.pixel_shuffle",
           .summary = "Channels turned into pixels: (…, C r r, H, W) becomes (…, C, H r, W r).",
           .params = {{"data", "tensor of rank >= 3 (C2, C3)"}, int_param("upscale_factor", "r (C1)")},
           .constraints = {"C1: the factor is at least 1", "C2: the rank is at least 3",
                           "C3: channels are a multiple of r * r"},
           .infer = infer_pixel_shuffle,
           .lower = lower_pixel_shuffle,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .sample = sample_shuffle});
  ops.add({.name = "nn.dropout",
           .summary = "data with elements dropped at random while training, and the mask of those kept, as a tuple.",
           .params = {{"data", "tensor"}, float_param("rate", "the share that is dropped (C1)", 0.5)},
           .constraints = {"C1: rate is in [0, 1]"},
           .infer = infer_dropout,
           .decompose = decompose_dropout,
           .fuse = Fuse::Opaque,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .is_random = true,
           .sample = sample_dropout});
}

}  // namespace sunmao
