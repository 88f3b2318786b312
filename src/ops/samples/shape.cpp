// Samples of ops that arrange elements anew, join and part tensors.
#include <algorithm>
#include <numeric>

#include "ops/samples/samples.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

OpSample permuted(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number});
  std::vector<int64_t> order(static_cast<size_t>(sampled_rank(x)));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[s.below(i)]);
  if (s.chance(20)) return {{x}};
  return {{x}, {{"axes", AttrValue::ints(order)}}};
}

OpSample reshaped(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .size = Sizes::Whole});
  int64_t rest = 1;
  for (const Scalar& d : sampled_dims(x)) rest *= s.size_of(d);
  Dims target;
  for (int64_t i = 0; i < 3; ++i) {
    int64_t factor = s.between(1, 4);
    if (rest % factor != 0) factor = 1;
    target.push_back(int_imm(factor));
    rest /= factor;
  }
  target.insert(target.begin() + static_cast<ptrdiff_t>(s.below(4)), int_imm(rest));
  return {{x, ShapeExpr::make(std::move(target))}};
}

OpSample flattened(Sampler& s) { return {{s.tensor({.kind = Kind::Number})}}; }

OpSample expanded(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3});
  return {{x}, {{"axis", AttrValue::ints({s.axis(sampled_rank(x) + 1)})}}};
}
OpSample squeezed(Sampler& s) {
  Dims dims = s.dims(0, 3);
  const size_t place = s.below(dims.size() + 1);
  dims.insert(dims.begin() + static_cast<ptrdiff_t>(place), int_imm(1));
  return {{s.tensor({.kind = Kind::Number, .dims = dims})}, {{"axis", AttrValue::ints({static_cast<int64_t>(place)})}}};
}

OpSample broadcast(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3, .size = Sizes::Whole});
  Dims target = sampled_dims(x);
  for (Scalar& d : target)
    if (*find_int(d) == 1 && s.chance(60)) d = int_imm(s.between(1, 4));
  if (s.chance(40)) target.insert(target.begin(), int_imm(s.between(1, 3)));
  return {{x, ShapeExpr::make(std::move(target))}};
}

OpSample joined(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  const int64_t axis = s.axis(sampled_rank(x));
  std::vector<Expr> all{x};
  for (size_t i = 0, more = s.below(3); i < more; ++i)
    all.push_back(s.beside(x, dims_with(x, axis, int_imm(s.between(1, 3)))));
  return {{Tuple::make(std::move(all))}, {{"axis", axis}}};
}

OpSample stacked(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3});
  std::vector<Expr> all{x};
  for (size_t i = 0, more = s.below(3); i < more; ++i) all.push_back(s.like(x));
  return {{Tuple::make(std::move(all))}, {{"axis", s.axis(sampled_rank(x) + 1)}}};
}

OpSample parted(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  std::vector<int64_t> borders{s.between(0, size), s.between(0, size)};
  std::ranges::sort(borders);
  if (s.chance(50)) return {{x}, {{"axis", axis}, {"indices_or_sections", AttrValue::ints(borders)}}};
  int64_t sections = s.between(1, size);
  while (size % sections != 0) --sections;
  return {{x}, {{"axis", axis}, {"indices_or_sections", sections}}};
}

OpSample turned(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  return {{x}, {{"axis", s.axis(sampled_rank(x))}}};
}
OpSample tiled(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3});
  std::vector<int64_t> repeats(static_cast<size_t>(s.between(1, 3)));
  for (int64_t& r : repeats) r = s.between(1, 3);
  return {{x}, {{"repeats", AttrValue::ints(repeats)}}};
}
OpSample repeated(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3});
  return {{x}, {{"repeats", s.between(1, 3)}, {"axis", s.axis(sampled_rank(x))}}};
}

OpSample triangle(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2});
  return {{x, int_argument(s.between(-2, 2))}};
}
OpSample batches(Sampler& s) { return {{s.tensor({.kind = Kind::Number, .min_rank = 2})}}; }
OpSample collapsed(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .size = Sizes::Whole});
  Dims target = sampled_dims(x);
  for (Scalar& d : target)
    if (s.chance(50)) d = int_imm(1);
  if (s.chance(40)) target.erase(target.begin());
  return {{x, ShapeExpr::make(std::move(target))}};
}

OpSample collapsed_like(Sampler& s) {
  OpSample sample = collapsed(s);
  sample.args[1] = s.beside(sample.args[0], *find<ShapeType>(sample.args[1]->type)->values);
  return sample;
}

// Rows and columns change places, are parted into tiles, or grow a padding.
OpSample laid_out(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 2, .size = Sizes::Whole});
  Ref<SymVar> i = SymVar::make("i"), j = SymVar::make("j");
  const Scalar tile = int_imm(s.between(2, 3));
  const std::vector<std::vector<Scalar>> maps{
      {j, i}, {floor_div(j, tile), i, floor_mod(j, tile)}, {floor_div(i, tile), floor_mod(i, tile), j}};
  OpSample sample{{x}, {{"index_map", AttrValue(IndexMap::make({i, j}, s.one_of(maps)))}}};
  if (s.chance(50)) sample.attrs["pad_value"] = AttrValue(2);
  return sample;
}

// Mirrored and repeated elements have to be there.
OpSample padded(Sampler& s) {
  static const std::vector<std::string> kModes{"constant", "constant", "reflect", "replicate", "circular"};
  const std::string& mode = s.one_of(kModes);
  Expr x = s.tensor({.min_rank = 1, .size = Sizes::Some});
  std::vector<int64_t> widths;
  for (int64_t i = 0; i < 2 * sampled_rank(x); ++i) {
    const int64_t size = s.size_along(i / 2, x), most = mode == "reflect" ? size - 1 : mode == "circular" ? size : 2;
    widths.push_back(s.between(0, std::min<int64_t>(2, most)));
  }
  return {{x}, {{"pad_width", AttrValue::ints(widths)}, {"pad_value", 0.5}, {"pad_mode", mode}}};
}

}  // namespace

void add_shape_samples(SampleTable& t) {
  t["permute_dims"] = permuted;
  t["reshape"] = reshaped;
  t["flatten"] = flattened;
  t["expand_dims"] = expanded;
  t["squeeze"] = squeezed;
  t["broadcast_to"] = broadcast;
  t["concat"] = joined;
  t["stack"] = stacked;
  t["split"] = parted;
  t["flip"] = turned;
  t["tile"] = tiled;
  t["repeat"] = repeated;
  t["tril"] = t["triu"] = triangle;
  t["nn.pad"] = padded;
  t["nn.batch_flatten"] = batches;
  t["layout_transform"] = laid_out;
  t["collapse_sum_like"] = collapsed_like;
  t["collapse_sum_to"] = collapsed;
}

}  // namespace sunmao
