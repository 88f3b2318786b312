// Converters of ops that read or write elements by indices or masks.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/indexed.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

Expr taken(const NodeContext& n, const Expr& x, const Expr& indices, int64_t axis) {
  return n.call("take", {x, indices}, {{"axis", axis}});
}
/// For ops that refuse an index below 0.
Expr taken_from_front(const NodeContext& n, const Expr& x, const Expr& indices, int64_t axis) {
  return n.call("take", {x, indices}, {{"axis", axis}, {"from_end", false}});
}

/// Returns the size that the exporter recorded for what a single mask selects; null when it is no symbol.
Scalar recorded_count(const NodeContext& n) {
  const std::vector<Expr> indices = n.optional_tensors("indices");
  const auto* recorded = find<TensorType>(n.recorded());
  const auto at =
      static_cast<size_t>(std::ranges::find_if(indices, [](const Expr& e) { return !!e; }) - indices.begin());
  if (!recorded || !recorded->dims() || at >= recorded->dims()->size()) return nullptr;
  return find<SymVar>((*recorded->dims())[at]) ? (*recorded->dims())[at] : Scalar();
}

/// Converts x[indices]; a single index tensor becomes `R.take`.
Results index(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Indexed i = indexed(n, x, recorded_count(n));
  if (i.indices.empty()) return x;
  if (i.indices.size() == 1) return taken(n, x, i.indices[0], i.first_axis);
  Expr first = permuted(n.builder, x, i.order, n.span);
  Expr selected = n.call("index_tensor", {first, Tuple::make(i.indices)});
  return permuted(n.builder, selected, result_order(i, n.rank(x)), n.span);
}

/// Returns how many values are put where a mask holds, the only index; null where one value is put at many places.
Scalar count_of_values(const NodeContext& n, const Expr& x, const Expr& values) {
  const Expr mask = only_mask(n);
  if (!mask || n.rank(values) != n.rank(x) - n.rank(mask) + 1) return nullptr;
  const Scalar count = n.dims(values).at(0);
  return find_int(count) && *find_int(count) == 1 ? Scalar() : count;
}

/// Returns `x` with `value`, which broadcasts to the axes behind the mask's, where the mask of its first axes holds.
Expr filled_where(const NodeContext& n, const Expr& x, Expr mask, const Expr& value) {
  std::vector<int64_t> behind;
  for (int64_t i = n.rank(mask); i < n.rank(x); ++i) behind.push_back(i);
  mask = with_axes(n.builder, mask, behind, n.span);
  return n.call("where", {mask, value, x});
}

/// Converts x[indices] = values, or += with `accumulate`.
Results index_put(const NodeContext& n) {
  Expr x = n.tensor("self"), values = converted(n.builder, n.tensor("values"), dtype_of(x), n.span);
  if (Expr mask = only_mask(n); mask && !n.boolean("accumulate", false) && !n.builder.data(mask)) {
    const std::vector<Scalar>& dims = n.dims(values);
    const bool is_single = std::ranges::all_of(dims, [](const Scalar& d) { return find_int(d) && *find_int(d) == 1; });
    if (is_single) return filled_where(n, x, mask, reshaped(n.builder, values, {}, n.span));
    if (!count_of_values(n, x, values)) {
      const bool has_lead = n.rank(values) > n.rank(x) - n.rank(mask);
      return filled_where(n, x, mask, has_lead ? without_axes(n.builder, values, {0}, n.span) : values);
    }
  }
  const Indexed i = indexed(n, x, count_of_values(n, x, values));
  if (i.indices.empty()) return broadcast(n.builder, values, n.dims(x), n.span);
  const std::vector<int64_t> order = result_order(i, n.rank(x));
  const auto result_rank = static_cast<int64_t>(order.size());
  std::vector<int64_t> lead;
  for (int64_t a = 0; a < result_rank - n.rank(values); ++a) lead.push_back(a);
  if (!std::ranges::is_sorted(order))
    values = permuted(n.builder, with_axes(n.builder, values, lead, n.span), inverse(order), n.span);
  Expr first = permuted(n.builder, x, i.order, n.span);
  Expr put =
      n.call("index_put", {first, Tuple::make(i.indices), values}, {{"accumulate", n.boolean("accumulate", false)}});
  return permuted(n.builder, put, inverse(i.order), n.span);
}

Results index_select(const NodeContext& n) {
  Expr x = n.tensor("self"), indices = n.tensor("index");
  if (rank_of(x) == 0)
    return taken_from_front(n, reshaped(n.builder, x, {int_imm(1)}, n.span), reshaped(n.builder, indices, {}, n.span),
                            0);
  indices = reshaped(n.builder, indices, {product(n.builder, n.dims(indices))}, n.span);
  return taken_from_front(n, x, indices, n.integer("dim"));
}
Results embedding(const NodeContext& n) { return taken_from_front(n, n.tensor("weight"), n.tensor("indices"), 0); }
/// Takes from all elements in their order.
Results take(const NodeContext& n) {
  Expr x = n.tensor("self");
  return taken(n, reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span), n.tensor("index"), 0);
}

Expr gathered(const NodeContext& n, const Expr& x, const Expr& indices, AttrMap attrs) {
  if (rank_of(x) > 0 && rank_of(indices) > 0) return n.call("gather_elements", {x, indices}, std::move(attrs));
  Expr flat = reshaped(n.builder, x, {int_imm(1)}, n.span);  // one of them has rank 0: a single element
  attrs["axis"] = int64_t{0};
  return n.call("take", {flat, indices}, std::move(attrs));
}
Results gather(const NodeContext& n) {
  return gathered(n, n.tensor("self"), n.tensor("index"), {{"axis", n.integer("dim")}, {"from_end", false}});
}

/// Beside the axis, data and indices broadcast to what the exporter recorded, and an index counts modulo the size;
/// without an axis the data is flattened.
Results take_along_dim(const NodeContext& n) {
  Expr x = n.tensor("self"), indices = n.tensor("indices");
  if (!n.has("dim"))
    return gathered(n, reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span),
                    reshaped(n.builder, indices, {product(n.builder, n.dims(indices))}, n.span),
                    {{"axis", int64_t{0}}, {"from_end", false}});
  const int64_t axis = from_front(n.integer("dim"), n.rank(x), "E0704", n.span);
  const auto* recorded = find<TensorType>(n.recorded());
  if (!recorded || !recorded->dims()) throw UnsupportedUse{"without a recorded shape"};
  std::vector<Scalar> shape = *recorded->dims();
  indices = broadcast(n.builder, indices, shape, n.span);
  shape[static_cast<size_t>(axis)] = n.dims(x).at(static_cast<size_t>(axis));
  const Expr size = sunmao::tensor_of(n.builder, {shape[static_cast<size_t>(axis)]}, false, n.span);
  indices = n.call("floor_mod", {indices, converted(n.builder, size, dtype_of(indices), n.span)});
  return gathered(n, broadcast(n.builder, x, shape, n.span), indices, {{"axis", axis}, {"from_end", false}});
}

Results masked_fill(const NodeContext& n) {
  Expr x = n.tensor("self");
  Expr value = tensor_of(n, operand(n, "value"), dtype_of(x));
  return n.call("where", {converted(n.builder, n.tensor("mask"), DType::bool_(), n.span), value, x});
}

/// Puts the elements of `source`, in their order, where the mask holds.
Results masked_scatter(const NodeContext& n) {
  Expr x = n.tensor("self"), source = n.tensor("source"), mask = n.tensor("mask");
  // The one is broadcast to the other, or both to what the exporter recorded.
  const auto* recorded = find<TensorType>(n.recorded());
  if (recorded && recorded->dims()) x = broadcast(n.builder, x, *recorded->dims(), n.span);
  mask = broadcast(n.builder, mask, n.dims(x), n.span);
  const Scalar count = product(n.builder, n.dims(x));
  Expr flat = converted(n.builder, reshaped(n.builder, mask, {count}, n.span), DType::int_(64), n.span);
  Expr places = n.call("subtract", {n.call("cumsum", {flat}, {{"axis", 0}}), n.constant(DType::int_(64), 1)});
  Expr values = reshaped(n.builder, source, {product(n.builder, n.dims(source))}, n.span);
  Expr taken_values = n.call("take", {values, places}, {{"axis", 0}, {"mode", "clip"}});
  return n.call("where", {mask, reshaped(n.builder, taken_values, n.dims(x), n.span), x});
}

Results one_hot(const NodeContext& n) {
  const int64_t classes = n.integer("num_classes", -1);
  if (classes < 0) throw UnsupportedUse{"with a number of classes that depends on data"};
  auto number = [](int64_t v) { return PrimValue::make(int_imm(v)); };
  return n.call("one_hot", {n.tensor("self"), number(1), number(0)}, {{"depth", classes}, {"checked", true}});
}

/// What the gradient of bags of rows needs: the bag of each index, how many indices a bag has, and the index of each
/// greatest element. Where the exporter recorded none, or PyTorch fills in zeros, so does this.
class BagOutputs {
 public:
  BagOutputs(const NodeContext& n, const Expr& bags, int64_t padding)
      : n_(n), bags_(bags), weight_(n.tensor("weight")), indices_(in_int64("indices")), offsets_(in_int64("offsets")),
        padding_(padding), count_(n.dims(indices_).at(0)), bag_count_(n.dims(bags).at(0)) {}

  /// Returns the bag of each index: the number of bags that begin at it or before, less one.
  Expr bag_of_index() const {
    const Expr ends = sliced(n_.builder, offsets_, {{0, int_imm(1), bag_count_}}, n_.span);
    return n_.call("bucketize", {counting(count_), ends}, {{"right", true}});
  }
  Expr sizes() const {
    return n_.call("scatter_elements", {zeros({bag_count_}), bag_of_index(), converted_to_int64(counts())},
                   {{"axis", 0}, {"reduction", "add"}, {"from_end", false}});
  }
  /// Returns for each element of the maxima the first index whose row has it.
  Expr greatest() const {
    const Expr bag = bag_of_index();
    const Expr rows = n_.call("take", {weight_, indices_}, {{"axis", 0}});
    const std::vector<Scalar> shape = n_.dims(rows);
    const auto in_rows = [&](const Expr& x) {
      return broadcast(n_.builder, with_axes(n_.builder, x, {1}, n_.span), shape, n_.span);
    };
    const Expr none = sunmao::tensor_of(n_.builder, {count_}, false, n_.span);
    const Expr is_greatest = n_.call(
        "logical_and", {n_.call("equal", {rows, n_.call("take", {bags_, bag}, {{"axis", 0}})}), in_rows(counts())});
    const Expr place = n_.call("where", {is_greatest, in_rows(counting(count_)), none});
    const Expr start = n_.call("add", {zeros(n_.dims(bags_)), none});
    const Expr first = n_.call("scatter_elements", {start, in_rows(bag), place},
                               {{"axis", 0}, {"reduction", "min"}, {"from_end", false}});
    const Expr padded = n_.call("concat", {Tuple::make({indices_, zeros({int_imm(1)})})}, {{"axis", 0}});
    return n_.call("take", {padded, first}, {{"axis", 0}});
  }
  Expr zeros(const std::vector<Scalar>& shape) const {
    return n_.call("full", {ShapeExpr::make(shape), n_.constant(DType::int_(64), 0)}, {{"dtype", DType::int_(64)}});
  }

 private:
  Expr in_int64(std::string_view name) const { return converted_to_int64(n_.tensor(name)); }
  Expr converted_to_int64(const Expr& x) const { return converted(n_.builder, x, DType::int_(64), n_.span); }
  Expr counting(const Scalar& end) const {
    return n_.call("arange", {scalar_operand(int_imm(0)), scalar_operand(end), scalar_operand(int_imm(1))},
                   {{"dtype", DType::int_(64)}});
  }
  /// Returns whether each index counts.
  Expr counts() const {
    return n_.call("not_equal", {indices_, n_.constant(DType::int_(64), static_cast<double>(padding_))});
  }

  const NodeContext& n_;
  const Expr bags_, weight_, indices_, offsets_;
  const int64_t padding_;
  const Scalar count_, bag_count_;
};

Results embedding_bag(const NodeContext& n) {
  constexpr const char* kModes[] = {"sum", "mean", "max"};
  const int64_t mode = n.integer("mode", 0);
  if (mode < 0 || mode > 2) n.malformed("mode");
  std::vector<Expr> args{n.tensor("weight"), n.tensor("indices"), n.tensor("offsets")};
  if (n.has("per_sample_weights")) args.push_back(n.tensor("per_sample_weights"));
  int64_t padding = n.has("padding_idx") ? n.integer("padding_idx") : -1;
  if (padding < 0 && n.target.ends_with(".padding_idx") && n.has("padding_idx")) {
    const int64_t* rows = find_int(n.dims(args[0]).at(0));
    if (!rows) throw UnsupportedUse{"with a negative padding_idx of a table of unknown size"};
    padding += *rows;
  }
  const Expr bags = n.builder.bind(n.call("nn.embedding_bag", std::move(args),
                                          {{"mode", kModes[mode]},
                                           {"padding_idx", padding},
                                           {"include_last_offset", n.boolean("include_last_offset", false)}}),
                                   "bags");
  Results out{bags};
  if (n.output_count() < 4) return out;
  const BagOutputs others(n, bags, padding);
  const auto recorded_shape = [&](size_t i) -> std::vector<Scalar> {
    const auto* type = find<TensorType>(n.recorded(i));
    return type && type->dims() ? *type->dims() : std::vector<Scalar>{};
  };
  const auto in_recorded = [&](size_t i, const Expr& x) {
    const DType dtype = n.recorded_dtype(i);
    return dtype.is_void() ? x : converted(n.builder, x, dtype, n.span);
  };
  const std::vector<Scalar> of_indices = recorded_shape(1);
  const bool has_bags = of_indices.empty() || !find_int(of_indices[0]) || *find_int(of_indices[0]) != 0;
  out.values.push_back(in_recorded(1, has_bags ? others.bag_of_index() : others.zeros({int_imm(0)})));
  // Of sums PyTorch counts nothing. With `include_last_offset` it may record one size more than it gives.
  const auto has_each_bag = [&](size_t i) {
    const std::vector<Scalar> shape = recorded_shape(i);
    return !shape.empty() && n.builder.can_prove(Binary::make(BinaryOp::Eq, shape[0], n.dims(bags)[0]));
  };
  const auto counted = [&](size_t i) -> Expr {
    if (!has_each_bag(i)) return nullptr;
    return in_recorded(i, mode == 0 ? others.zeros({n.dims(bags)[0]}) : others.sizes());
  };
  out.values.push_back(counted(2));
  if (mode != 2)
    out.values.push_back(counted(3));
  else
    out.values.push_back(has_each_bag(3) ? in_recorded(3, others.greatest()) : nullptr);
  return out;
}

}  // namespace

std::vector<Converter> index_converters() {
  const char *of_takes = "`R.take`", *of_puts = "`R.index_put`, or `R.where` for a mask";
  std::vector<Converter> rows;
  for (const char* target : {"aten.index.Tensor", "aten._unsafe_index.Tensor"})
    rows.push_back({target, index, "`R.index_tensor`, or `R.take` for one index"});
  add_pair<index_put>(rows, "aten.index_put.default", "aten.index_put_.default", of_puts);
  rows.push_back({"aten._unsafe_index_put.default", index_put, of_puts});
  rows.push_back({"aten._index_put_impl_.default", into_self<index_put>, of_puts, "", Alias::InPlace});
  rows.push_back({"aten.index_select.default", index_select, of_takes});
  rows.push_back({"aten.embedding.default", embedding, of_takes});
  rows.push_back({"aten.take.default", take, of_takes});
  rows.push_back({"aten.gather.default", gather, "`R.gather_elements`"});
  rows.push_back({"aten.take_along_dim.default", take_along_dim, "`R.gather_elements`"});
  add_pair<masked_fill>(rows, "aten.masked_fill.Scalar", "aten.masked_fill_.Scalar", "`R.where`");
  add_pair<masked_fill>(rows, "aten.masked_fill.Tensor", "aten.masked_fill_.Tensor", "`R.where`");
  add_pair<masked_scatter>(rows, "aten.masked_scatter.default", "aten.masked_scatter_.default",
                           "`R.where`, `R.take` and `R.cumsum`");
  rows.push_back({"aten.one_hot.default", one_hot, "`R.one_hot`", "the number of classes must be given"});
  for (const char* target : {"aten.embedding_bag.default", "aten.embedding_bag.padding_idx",
                             "aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"})
    rows.push_back(
        {target, embedding_bag, "`R.nn.embedding_bag`; other outputs by `R.bucketize`, `R.scatter_elements`"});
  return rows;
}

}  // namespace sunmao::torch
