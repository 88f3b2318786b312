// Ops that keep the values in memory and change their order, shape or dtype: permute_dims, reshape, memory.view.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/dims.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "ops/samples/sampler.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

// Returns the permutation of a permute_dims with non-negative axes; by default the axes reversed.
std::vector<int> axes_of(const InferInput& in, int rank) {
  std::vector<int> axes;
  std::optional<std::vector<int64_t>> given = in.ints_attr("axes");
  if (!given) {
    for (int i = rank; i-- > 0;) axes.push_back(i);
    return axes;
  }
  if (static_cast<int>(given->size()) != rank)  // C1
    in.error("E0203", fmt::format("{} axes for a tensor of rank {}", given->size(), rank));
  for (int64_t a : *given) {
    int axis = in.normalize_axis(a, rank);  // C2
    if (std::ranges::find(axes, axis) != axes.end())
      in.error("E0203", fmt::format("axis {} occurs twice in `axes`", a));  // C3
    axes.push_back(axis);
  }
  return axes;
}

Type infer_permute_dims(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank == kUnknownRank) {
    auto given = in.ints_attr("axes");
    return TensorType::make_unknown(x.dtype, given ? static_cast<int>(given->size()) : kUnknownRank, x.vdevice);
  }
  std::vector<int> axes = axes_of(in, x.rank);
  if (std::ranges::is_sorted(axes)) return in.type(0);
  if (!written(x)) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  std::vector<Scalar> dims;
  for (int a : axes) dims.push_back((*written(x))[static_cast<size_t>(a)]);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_permute_dims(const Call& call) {
  InferInput in(*op_of(call), call.args, call.attrs, call.type_args, call.span);
  KernelBuilder k("transpose");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_transpose", call.type);
  std::vector<int> axes = axes_of(in, x->rank());
  k.compute(y, "T_transpose", [&](const Indices& at) {
    Indices from(at.size());
    for (size_t i = 0; i < axes.size(); ++i) from[static_cast<size_t>(axes[i])] = at[i];
    return load(x, from);
  });
  return std::move(k).finish();
}

// Returns the quotient, rounded down, of the product of `own` and that of `taken`, with common factors cancelled.
Scalar remaining(const InferInput& in, std::vector<Scalar> own, const std::vector<Scalar>& taken) {
  int64_t of_own = 1, of_taken = 1;
  std::vector<Scalar> divisor;
  for (const Scalar& t : taken) {
    auto same =
        std::ranges::find_if(own, [&](const Scalar& o) { return !find_int(o) && in.analyzer().can_prove_equal(o, t); });
    if (const int64_t* n = find_int(t))
      of_taken *= *n;
    else if (same != own.end())
      own.erase(same);
    else
      divisor.push_back(t);
  }
  std::vector<Scalar> factors;
  for (const Scalar& o : own) {
    if (const int64_t* n = find_int(o))
      of_own *= *n;
    else
      factors.push_back(o);
  }
  if (of_taken != 0 && of_own % of_taken == 0) {
    of_own /= of_taken;
    of_taken = 1;
  }
  if (of_own != 1 || factors.empty()) factors.push_back(int_imm(of_own));
  if (of_taken != 1) divisor.push_back(int_imm(of_taken));
  return number_or(in, divisor.empty() ? product(factors) : floor_div(product(factors), product(divisor)));
}

// Returns the target shape of a reshape with 0 replaced by the input's dimension (unless the input has a dimension of
// 0) and -1 by the remaining size; absent when that cannot be computed.
std::optional<std::vector<Scalar>> resolve_target(const InferInput& in, const TensorType& x,
                                                  std::vector<Scalar> target) {
  auto is = [](const Scalar& d, int64_t value) { return find_int(d) && *find_int(d) == value; };
  if (std::ranges::count_if(target, [&](const Scalar& d) { return is(d, -1); }) > 1)  // C2
    in.error("E0203",
             fmt::format("one dimension of the shape alone may be -1, got {}", describe(ShapeType::make(target))));
  bool empty = x.dims() && std::ranges::any_of(*x.dims(), [&](const Scalar& d) { return is(d, 0); });
  for (size_t i = 0; i < target.size() && x.dims() && !empty; ++i)
    if (is(target[i], 0) && i < x.dims()->size()) target[i] = (*x.dims())[i];
  auto unknown = std::ranges::find_if(target, [&](const Scalar& d) { return is(d, -1); });
  if (unknown == target.end()) return target;
  if (!x.dims()) return std::nullopt;
  std::vector<Scalar> rest;
  for (auto it = target.begin(); it != target.end(); ++it)
    if (it != unknown) rest.push_back(*it);
  *unknown = remaining(in, *x.dims(), rest);
  return target;
}

Type infer_reshape(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const auto* shape = find<ShapeType>(in.type(1));
  if (!shape) in.error("E0201", fmt::format("`shape` must be a shape, got {}", describe(in.type(1))));  // C1
  if (!shape->values) return shaped_by(in, 1, x.dtype, x.vdevice);
  for (const Scalar& d : *shape->values)
    if (find_int(d) && *find_int(d) < -1)
      in.error("E0203", fmt::format("a dimension cannot be {}", *find_int(d)));  // C2
  auto target = resolve_target(in, x, *shape->values);
  if (!target) return TensorType::make_unknown(x.dtype, shape->rank, x.vdevice);
  if (x.dims()) {
    Scalar before = in.analyzer().simplify(product(*x.dims())), after = in.analyzer().simplify(product(*target));
    if (!in.can_agree(before, after) && find_int(before) && find_int(after))  // C3
      in.error("E0308", fmt::format("{} elements cannot be arranged as {}: that takes {}", describe(before),
                                    describe(ShapeType::make(*target)), describe(after)));
  }
  return TensorType::make(std::move(*target), x.dtype, x.vdevice);
}

// Returns the dtype of a view: that of the literal, that of the data when omitted, void when known at run time only.
DType view_dtype(const InferInput& in, DType own) {
  if (!in.has(2)) return own;
  const auto* literal = find<DTypeLiteral>(in.args[2]);
  const auto* text = find<StringLiteral>(in.args[2]);
  std::optional<DType> named = text ? DType::parse(text->value) : std::nullopt;
  if (literal) named = literal->value;
  if (named && named->is_void()) in.error("E0203", "`dtype` cannot be void");  // C2
  if (named) return *named;
  if (!find<AnyType>(in.type(2))) in.error("E0201", "`dtype` must be a dtype, got " + describe(in.type(2)));  // C2
  return DType::void_();
}

// Returns the size of a tensor in bytes; null when its shape or dtype is unknown.
Scalar bytes_of(const std::vector<Scalar>* dims, DType dtype) {
  if (!dims || dtype.is_void()) return nullptr;
  return byte_size(*dims, dtype);
}

// Checks C4 of memory.view: the view lies within the data.
void check_bounds(const InferInput& in, const TensorType& x, const TensorType& view) {
  Scalar offset = in.has(3) ? scalar_value(in.args[3]) : int_imm(0);
  const int64_t* known = offset ? find_int(offset) : nullptr;
  if (known && *known < 0) in.error("E0203", fmt::format("`relative_byte_offset` cannot be {}", *known));
  bool same = !in.has(1) && x.dtype == view.dtype;
  if (same && known && *known > 0)
    in.error("E0308", fmt::format("a view of all of `data` cannot begin {} bytes into it", *known));
  Scalar there = bytes_of(x.dims(), x.dtype), taken = bytes_of(view.dims(), view.dtype);
  // If both dtypes are unknown and the offset is 0, the dtypes are assumed to be the same, and element counts are
  // compared instead of bytes.
  if (x.dtype.is_void() && view.dtype.is_void() && x.dims() && view.dims() && known && *known == 0) {
    there = product(*x.dims());
    taken = product(*view.dims());
  }
  if (!there || !taken || !offset) return;
  if (!in.can_reach(there, taken + offset))
    in.error("E0308",
             fmt::format("the view takes {} bytes, `data` has {}", describe(in.analyzer().simplify(taken + offset)),
                         describe(in.analyzer().simplify(there))));
}

Type infer_view(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const auto* offset = in.has(3) ? find<PrimType>(in.type(3)) : nullptr;
  if (in.has(3) && (!offset || !offset->dtype.is_integral()))  // C3
    in.error("E0201", "`relative_byte_offset` must be an integer scalar, got " + describe(in.type(3)));
  DType dtype = view_dtype(in, x.dtype);
  Type view = in.has(1) ? shaped_by(in, 1, dtype, x.vdevice) : with_dtype(x, dtype);  // C1
  check_bounds(in, x, *find<TensorType>(view));
  return view;
}

// A dtype that is given as text becomes a dtype.
void name_view_dtype(std::vector<Expr>& args, AttrMap&) {
  const auto* text = args.size() > 2 ? find<StringLiteral>(args[2]) : nullptr;
  if (std::optional<DType> dtype = text ? DType::parse(text->value) : std::nullopt)
    args[2] = DTypeLiteral::make(*dtype, args[2]->span);
}

// Views with another dtype, an offset or an unknown shape have no kernel; the virtual machine executes them.
Ref<BaseFunc> lower_view(const Call& call) {
  const auto *from = find<TensorType>(call.args[0]->type), *to = find<TensorType>(call.type);
  return from->dtype == to->dtype && call.args.size() < 4 && to->dims() ? lower_row_major(call, "reshape") : nullptr;
}

using Kind = TensorWish::Kind;

// Draws a view with another shape, reinterpreted as float or integer, sometimes with an offset.
OpSample sample_view(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3, .dtype = DType::float_(32), .size = Sizes::Whole});
  int64_t count = 1;
  for (const Scalar& d : sampled_dims(x)) count *= s.size_of(d);
  const int64_t begin = s.chance(30) ? s.between(0, count - 1) : 0, rest = count - begin, rows = rest % 2 == 0 ? 2 : 1;
  OpSample sample{{x, ShapeExpr::make(sizes({rows, rest / rows})),
                   DTypeLiteral::make(s.chance(50) ? DType::int_(32) : DType::float_(32))}};
  if (begin > 0) sample.args.push_back(int_argument(4 * begin));
  return sample;
}

OpSample sample_permutation(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number});
  std::vector<int64_t> order(static_cast<size_t>(sampled_rank(x)));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[s.below(i)]);
  if (s.chance(20)) return {{x}};
  return {{x}, {{"axes", AttrValue::ints(order)}}};
}

OpSample sample_reshape(Sampler& s) {
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

}  // namespace

void register_manipulate_ops(OpTable& ops) {
  ops.add({.name = "permute_dims",
           .summary = "x with its axes in the order of `axes`.",
           .params = {{"x", "tensor"}, ints_param("axes", "a permutation; None reverses (C1, C2, C3)", AttrValue())},
           .constraints = {"C1: as many axes as the rank", "C2: each in [-rank, rank - 1]", "C3: none twice"},
           .infer = infer_permute_dims,
           .lower = lower_permute_dims,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_permute_dims,
           .sample = sample_permutation});
  ops.add({.name = "reshape",
           .summary = "The elements of x, in their order, as another shape.",
           .params = {{"x", "tensor"},
                      {"shape", "shape; one dimension may be -1: what is left (C1, C2, C3)", ParamKind::Shape}},
           .constraints = {"C1: the second argument is a shape", "C2: dimensions are at least -1, and one alone is -1",
                           "C3: as many elements as before"},
           .infer = infer_reshape,
           .lower = [](const Call& call) { return lower_row_major(call, "reshape"); },
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .is_view = true,
           .sample = sample_reshape});
  ops.add({.name = "memory.view",
           .summary = "The memory of data seen as another shape or dtype; nothing moves.",
           .params = {{"data", "tensor"},
                      optional_param("shape", "shape; None: that of data (C1, C4)", ParamKind::Shape),
                      optional_param("dtype", "dtype; None: that of data (C2, C4)", ParamKind::Value),
                      optional_param("relative_byte_offset", "integer scalar; None: 0 (C3, C4)", ParamKind::Value)},
           .constraints = {"C1: the second argument is a shape", "C2: the third is a dtype",
                           "C3: the fourth is an integer scalar", "C4: the view lies within data"},
           .infer = infer_view,
           .lower = lower_view,
           .canonical = name_view_dtype,
           .fuse = Fuse::Injective,
           .runs_on_vm = true,
           .sample = sample_view});
}

}  // namespace sunmao
