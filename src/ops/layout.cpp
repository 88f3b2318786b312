// layout_transform: elements rearranged by an index map, with padding where the map leaves positions of the target
// unwritten.
#include <fmt/format.h>

#include <algorithm>

#include "loop/builder.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "ops/samples/sampler.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

const IndexMap& map_of(const InferInput& in) {
  const auto* map = in.attr("index_map").find<Ref<IndexMap>>();
  if (!map) in.error("E0203", "attribute `index_map` must be a map of indices");  // C1
  return **map;
}

Type infer_layout_transform(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const IndexMap& map = map_of(in);
  if (x.rank == kUnknownRank) return TensorType::make_unknown(x.dtype, static_cast<int>(map.outputs.size()), x.vdevice);
  if (static_cast<int>(map.inputs.size()) != x.rank)  // C2
    in.error("E0203", fmt::format("`index_map` takes {} indices, the tensor has rank {}", map.inputs.size(), x.rank));
  if (!written(x)) return TensorType::make_unknown(x.dtype, static_cast<int>(map.outputs.size()), x.vdevice);
  return TensorType::make(map.map_shape(*written(x)), x.dtype, x.vdevice);
}

// Scatters each source element to its mapped position; before that, fills the target with the padding value, unless
// source and target provably have the same number of elements.
Ref<BaseFunc> lower_layout_transform(const Call& call) {
  InferInput in(*op_of(call), call.args, call.attrs, call.type_args, call.span);
  const IndexMap& map = map_of(in);
  KernelBuilder k("layout_transform");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_layout_trans", call.type);
  if (!in.analyzer().can_prove_equal(product(x->shape), product(y->shape))) {
    const AttrValue& pad = in.attr("pad_value");
    Scalar fill = pad.is_none() ? constant(y->dtype, 0) : constant(y->dtype, in.float_attr("pad_value"));
    k.compute(y, "T_pad", [&](const Indices&) { return fill; });
  }
  k.scatter(x, y, "T_layout_trans", [&](const Indices& at) { return map.apply(at); });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

// Draws an index map that transposes or tiles a matrix; tiles that do not divide it leave padding.
OpSample sample_layout(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 2, .size = Sizes::Whole});
  Ref<SymVar> i = SymVar::make("i"), j = SymVar::make("j");
  const Scalar tile = int_imm(s.between(2, 3));
  const std::vector<std::vector<Scalar>> maps{
      {j, i}, {floor_div(j, tile), i, floor_mod(j, tile)}, {floor_div(i, tile), floor_mod(i, tile), j}};
  OpSample sample{{x}, {{"index_map", AttrValue(IndexMap::make({i, j}, s.one_of(maps)))}}};
  if (s.chance(50)) sample.attrs["pad_value"] = AttrValue(2);
  return sample;
}

}  // namespace

void register_layout_ops(OpTable& ops) {
  ops.add({.name = "layout_transform",
           .summary = "The element at i… of x goes to index_map(i…); what nothing goes to is `pad_value`.",
           .params = {{"x", "tensor"},
                      {"index_map", "a lambda over the indices of x (C1, C2)", ParamKind::Attr},
                      {"pad_value", "number; None: 0, on which nothing may depend", ParamKind::Attr, AttrValue()},
                      {"axis_separators", "list, default none; kept for other tools", ParamKind::Attr,
                       AttrValue(AttrList{})},
                      {"input_axis_separators", "list, default none; kept for other tools", ParamKind::Attr,
                       AttrValue(AttrList{})}},
           .constraints = {"C1: index_map is a map of indices", "C2: it takes as many indices as x has dimensions"},
           .infer = infer_layout_transform,
           .lower = lower_layout_transform,
           .fuse = Fuse::Opaque,
           .precision = Precision::Follow,
           .sample = sample_layout});
}

}  // namespace sunmao
