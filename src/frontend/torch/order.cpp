// Converters of ops that put the elements of a tensor in another order, or repeat them.
#include <algorithm>
#include <numeric>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

using Axes = std::vector<int64_t>;

int64_t axis_of(const NodeContext& n, int64_t axis, int64_t rank) {
  return rank == 0 ? 0 : from_front(axis, rank, "E0704", n.span);
}

Axes in_order(int64_t rank) {
  Axes axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Axes permutation(const NodeContext& n, const Expr& self) {
  Axes axes = n.integers("dims").value_or(Axes());
  for (int64_t& axis : axes) axis = axis_of(n, axis, n.rank(self));
  return axes;
}
Axes swapped(const NodeContext& n, const Expr& self, int64_t a, int64_t b) {
  Axes axes = in_order(n.rank(self));
  if (!axes.empty())
    std::swap(axes[static_cast<size_t>(axis_of(n, a, n.rank(self)))],
              axes[static_cast<size_t>(axis_of(n, b, n.rank(self)))]);
  return axes;
}
Axes transposition(const NodeContext& n, const Expr& self) {
  return swapped(n, self, n.integer(n.has("axis0") ? "axis0" : "dim0"), n.integer(n.has("axis0") ? "axis1" : "dim1"));
}
Axes matrix_transposition(const NodeContext& n, const Expr& self) { return swapped(n, self, -2, -1); }
Axes reversal(const NodeContext& n, const Expr& self) {
  Axes axes = in_order(n.rank(self));
  std::ranges::reverse(axes);
  return axes;
}
/// Returns the axes with those of `source` moved to the places `destination`.
Axes movement(const NodeContext& n, const Expr& self) {
  const int64_t rank = n.rank(self);
  const Axes from = n.integers("source").value_or(Axes()), to = n.integers("destination").value_or(Axes());
  if (from.size() != to.size()) n.malformed("destination");
  if (rank == 0) return {};
  Axes moved(static_cast<size_t>(rank), -1), rest = in_order(rank);
  for (size_t i = 0; i < from.size(); ++i) {
    moved[static_cast<size_t>(axis_of(n, to[i], rank))] = axis_of(n, from[i], rank);
    std::erase(rest, axis_of(n, from[i], rank));
  }
  if (std::ranges::count(moved, -1) != std::ssize(rest)) n.malformed("source");  // an axis stands there twice
  for (auto next = rest.begin(); int64_t& axis : moved)
    if (axis < 0) axis = *next++;
  return moved;
}

/// Converts by the permutation that `axes` gives, and writes back by its inverse.
template <Axes (*axes)(const NodeContext&, const Expr&)>
Results permute(const NodeContext& n) {
  Expr x = n.tensor("self");
  return permuted(n.builder, x, axes(n, x), n.span);
}
template <Axes (*axes)(const NodeContext&, const Expr&)>
Expr permute_back(const NodeContext& n, const Expr& self, const Expr& part) {
  const Axes there = axes(n, self);
  Axes back(there.size());
  for (size_t i = 0; i < there.size(); ++i) back[static_cast<size_t>(there[i])] = static_cast<int64_t>(i);
  return permuted(n.builder, part, back, n.span);
}

Expr flipped(const NodeContext& n, Expr x, const Axes& axes) {
  if (rank_of(x) == 0) return x;
  for (int64_t axis : axes) x = n.call("flip", {x}, {{"axis", axis}});
  return x;
}
Results flip(const NodeContext& n) { return flipped(n, n.tensor("self"), n.integers("dims").value_or(Axes())); }
template <int axis>
Results flip_axis(const NodeContext& n) {
  return flipped(n, n.tensor("self"), {axis});
}

/// Turns by `k` quarters in the plane of two axes.
Results rot90(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Axes plane = n.integers("dims").value_or(Axes{0, 1});
  if (plane.size() != 2) n.malformed("dims");
  const int64_t turns = ((n.integer("k", 1) % 4) + 4) % 4;
  if (turns == 0) return x;
  if (turns == 2) return flipped(n, x, plane);
  x = flipped(n, x, {plane[turns == 1 ? 1 : 0]});
  return permuted(n.builder, x, swapped(n, x, plane[0], plane[1]), n.span);
}

/// Takes the elements at (i - shift) modulo the size, which only a run knows.
Expr rolled_at_run(const NodeContext& n, const Expr& x, const Scalar& shift, int64_t axis) {
  const Scalar& size = n.dims(x).at(static_cast<size_t>(axis));
  auto number = [&](const Scalar& s) { return sunmao::tensor_of(n.builder, {s}, false, n.span); };
  Expr places = n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(size), scalar_operand(int_imm(1))},
                       {{"dtype", DType::int_(64)}});
  places = n.call("floor_mod", {n.call("subtract", {places, number(shift)}), number(size)});
  return n.call("take", {x, places}, {{"axis", axis}});
}
Expr rolled(const NodeContext& n, const Expr& x, const Scalar& shift, int64_t axis) {
  const Scalar& size = n.dims(x).at(static_cast<size_t>(axis));
  if (find_int(size) && *find_int(size) == 0) return x;
  if (!find_int(size) || !find_int(shift)) return rolled_at_run(n, x, shift, axis);
  const Scalar cut = n.builder.simplify(floor_mod(int_imm(0) - shift, size));
  if (!find_int(cut)) n.malformed("shifts");
  if (*find_int(cut) == 0) return x;
  Expr behind = sliced(n.builder, x, {{axis, cut, size}}, n.span);
  Expr before = sliced(n.builder, x, {{axis, int_imm(0), cut}}, n.span);
  return n.call("concat", {Tuple::make({behind, before})}, {{"axis", axis}});
}
Results roll(const NodeContext& n) {
  Expr x = n.tensor("self");
  const std::vector<Scalar> shifts = n.sizes("shifts"), dims = n.dims(x);
  const Axes axes = n.integers("dims").value_or(Axes());
  if (axes.empty()) {
    if (shifts.size() != 1) n.malformed("shifts");
    Expr flat = reshaped(n.builder, x, {product(n.builder, dims)}, n.span);
    return reshaped(n.builder, rolled(n, flat, shifts[0], 0), dims, n.span);
  }
  if (axes.size() != shifts.size()) n.malformed("dims");
  for (size_t i = 0; i < axes.size(); ++i) x = rolled(n, x, shifts[i], axis_of(n, axes[i], n.rank(x)));
  return x;
}

/// Lays `x` out several times along its last axes.
Expr tiled(const NodeContext& n, Expr x, const std::vector<Scalar>& repeats) {
  if (repeats.empty()) return x;
  Axes numbers;
  for (const Scalar& r : repeats)
    if (find_int(r)) numbers.push_back(*find_int(r));
  if (numbers.size() == repeats.size()) {
    if (std::ranges::all_of(numbers, [](int64_t r) { return r == 1; }) &&
        rank_of(x) >= static_cast<int>(repeats.size()))
      return x;
    return n.call("tile", {x}, {{"repeats", AttrValue::ints(numbers)}});
  }
  std::vector<Scalar> dims = n.dims(x);  // with numbers that only a run knows: a broadcast along axes in between
  while (dims.size() < repeats.size()) dims.insert(dims.begin(), int_imm(1));
  std::vector<Scalar> spaced, spread, merged;
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t lead = dims.size() - repeats.size();
    const Scalar times = i < lead ? int_imm(1) : repeats[i - lead];
    spaced.insert(spaced.end(), {int_imm(1), dims[i]});
    spread.insert(spread.end(), {times, dims[i]});
    merged.push_back(n.builder.simplify(times * dims[i]));
  }
  x = reshaped(n.builder, x, spaced, n.span);
  return reshaped(n.builder, broadcast(n.builder, x, spread, n.span), merged, n.span);
}
Results repeat(const NodeContext& n) { return tiled(n, n.tensor("self"), n.sizes("repeats")); }
Results tile(const NodeContext& n) { return tiled(n, n.tensor("self"), n.sizes("dims")); }

Results repeat_interleave(const NodeContext& n) {
  AttrMap attrs{{"repeats", n.integer("repeats")}};
  Expr x = n.tensor("self");
  if (n.has("dim"))
    attrs["axis"] = n.integer("dim");
  else
    x = reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span), attrs["axis"] = 0;
  if (rank_of(x) == 0) x = reshaped(n.builder, x, {int_imm(1)}, n.span);
  return n.call("repeat", {x}, std::move(attrs));
}

Results unfold(const NodeContext& n) {
  return n.call("sliding_window", {n.tensor("self")},
                {{"axis", n.integer("dimension")}, {"size", n.integer("size")}, {"step", n.integer("step")}});
}

/// Splits `channels` of (…, channels, height, width) into `factors`, in which the pixels `r` come from (h, r, w, r).
Results pixel_unshuffle(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t rank = n.rank(x), r = n.integer("downscale_factor");
  if (rank < 3 || r < 1) n.malformed("downscale_factor");
  const std::vector<Scalar> dims = n.dims(x);
  const Scalar factor = int_imm(r);
  const Scalar height = n.builder.simplify(floor_div(dims[dims.size() - 2], factor)),
               width = n.builder.simplify(floor_div(dims.back(), factor));
  std::vector<Scalar> lead(dims.begin(), dims.end() - 2), parted = lead;
  parted.insert(parted.end(), {height, factor, width, factor});
  Axes axes = in_order(rank - 2);
  for (int64_t i : {1, 3, 0, 2}) axes.push_back(rank - 2 + i);
  x = permuted(n.builder, reshaped(n.builder, x, parted, n.span), axes, n.span);
  lead.back() = n.builder.simplify(lead.back() * int_imm(r * r));
  lead.insert(lead.end(), {height, width});
  return reshaped(n.builder, x, lead, n.span);
}

Results channel_shuffle(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t rank = n.rank(x);
  const std::vector<Scalar> dims = n.dims(x);
  const Scalar groups = n.size("groups");
  if (rank < 3) n.malformed("self");
  std::vector<Scalar> parted{dims.at(0), groups, n.builder.simplify(floor_div(dims.at(1), groups))};
  parted.insert(parted.end(), dims.begin() + 2, dims.end());
  Axes axes = in_order(rank + 1);
  std::swap(axes[1], axes[2]);
  return reshaped(n.builder, permuted(n.builder, reshaped(n.builder, x, parted, n.span), axes, n.span), dims, n.span);
}

Results pixel_shuffle(const NodeContext& n) {
  return n.call("nn.pixel_shuffle", {n.tensor("self")}, {{"upscale_factor", n.integer("upscale_factor")}});
}

template <Axes (*axes)(const NodeContext&, const Expr&)>
void add_permutations(std::vector<Converter>& rows, std::initializer_list<const char*> targets) {
  for (const char* target : targets)
    rows.push_back({target, permute<axes>, "`R.permute_dims`", "", Alias::View, permute_back<axes>});
}

}  // namespace

std::vector<Converter> order_converters() {
  std::vector<Converter> rows;
  add_permutations<permutation>(rows, {"aten.permute.default"});
  add_permutations<transposition>(rows, {"aten.transpose.int", "aten.swapaxes.default", "aten.swapdims.default"});
  add_permutations<reversal>(rows, {"aten.t.default", "aten.numpy_T.default"});
  add_permutations<matrix_transposition>(
      rows, {"aten.mT.default", "aten.mH.default", "aten.adjoint.default", "aten.matrix_H.default"});
  add_permutations<movement>(
      rows, {"aten.movedim.int", "aten.movedim.intlist", "aten.moveaxis.int", "aten.moveaxis.intlist"});
  for (const auto& [target, convert] :
       {std::pair<const char*, Convert>{"aten.permute_copy.default", permute<permutation>},
        {"aten.transpose_copy.int", permute<transposition>},
        {"aten.t_copy.default", permute<reversal>}})
    rows.push_back({target, convert, "`R.permute_dims`"});
  rows.push_back({"aten.flip.default", flip, "`R.flip`"});
  rows.push_back({"aten.fliplr.default", flip_axis<1>, "`R.flip`"});
  rows.push_back({"aten.flipud.default", flip_axis<0>, "`R.flip`"});
  rows.push_back({"aten.rot90.default", rot90, "`R.flip` and `R.permute_dims`"});
  rows.push_back(
      {"aten.roll.default", roll, "`R.concat` of `R.strided_slice`, or `R.take` along an axis of unknown size"});
  rows.push_back({"aten.repeat.default", repeat, "`R.tile`"});
  rows.push_back({"aten.tile.default", tile, "`R.tile`"});
  rows.push_back({"aten.repeat_interleave.self_int", repeat_interleave, "`R.repeat`"});
  rows.push_back({"aten.unfold.default", unfold, "`R.sliding_window`", "", Alias::View});
  rows.push_back({"aten.unfold_copy.default", unfold, "`R.sliding_window`"});
  rows.push_back({"aten.pixel_shuffle.default", pixel_shuffle, "`R.nn.pixel_shuffle`"});
  rows.push_back({"aten.pixel_unshuffle.default", pixel_unshuffle, "`R.reshape` and `R.permute_dims`"});
  for (const char* target : {"aten.channel_shuffle.default", "aten.native_channel_shuffle.default"})
    rows.push_back({target, channel_shuffle, "`R.reshape` and `R.permute_dims`"});
  return rows;
}

}  // namespace sunmao::torch
