// Reductions over axes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "loop/builder.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

// Which axes are reduced: all of them where `axis` is None.
std::vector<bool> reduced_axes(const InferInput& in, int rank) {
  std::optional<std::vector<int64_t>> axes = in.ints_attr("axis");
  std::vector<bool> reduced(static_cast<size_t>(rank), !axes);
  for (int64_t a : axes.value_or(std::vector<int64_t>{})) {
    size_t axis = static_cast<size_t>(in.normalize_axis(a, rank));                           // C1
    if (reduced[axis]) in.error("E0203", fmt::format("axis {} occurs twice in `axis`", a));  // C2
    reduced[axis] = true;
  }
  return reduced;
}

Type infer_reduction(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  bool keep = in.bool_attr("keepdims");
  if (x.rank == kUnknownRank) {
    bool to_scalar = !in.ints_attr("axis") && !keep;
    return to_scalar ? TensorType::make({}, x.dtype, x.vdevice)
                     : TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  }
  std::vector<bool> reduced = reduced_axes(in, x.rank);
  int rank = keep ? x.rank : static_cast<int>(std::ranges::count(reduced, false));
  if (!x.dims() && rank > 0) return TensorType::make_unknown(x.dtype, rank, x.vdevice);
  std::vector<Scalar> dims;
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i])
      dims.push_back((*x.dims())[i]);
    else if (keep)
      dims.push_back(int_imm(1));
  }
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<PrimFunc> lower_reduction(const Call& call, const char* name, const KernelBuilder::Reduction& reduction,
                              bool average) {
  InferInput in(*op_of(call), call.args, call.attrs, call.type_args, call.span);
  KernelBuilder k(name);
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("A_red", call.type);
  std::vector<bool> reduced = reduced_axes(in, x->rank());
  bool keep = in.bool_attr("keepdims");
  std::vector<Scalar> extents;
  Scalar size = int_imm(1);
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) continue;
    extents.push_back(x->shape[i]);
    size = size * x->shape[i];
  }
  auto source = [&](const Indices& at, const Indices& r) {
    Indices from;
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < reduced.size(); ++i) {
      from.push_back(reduced[i] ? r[next++] : at[kept]);
      if (keep || !reduced[i]) ++kept;
    }
    return load(x, from);
  };
  Ref<Buffer> sum = average ? k.alloc("A_sum", y->dtype, y->shape) : y;
  k.reduce(sum, name, extents, reduction, source);
  if (average) {
    Scalar divisor = Cast::make(y->dtype, in.analyzer().simplify(size));
    k.compute(y, "T_divide", [&](const Indices& at) { return Binary::make(BinaryOp::Div, load(sum, at), divisor); });
  }
  return std::move(k).finish();
}

DType element(const Call& call) { return find<TensorType>(call.type)->dtype; }

KernelBuilder::Reduction plus(DType dtype) {
  return {constant(dtype, 0), [](const Scalar& a, const Scalar& b) { return a + b; }};
}

// The least value: what a maximum over nothing starts from.
Scalar lowest(DType dtype) {
  if (dtype.is_float()) return FloatImm::make(dtype, -std::numeric_limits<double>::infinity());
  if (!dtype.is_int()) return IntImm::make(dtype, 0);
  return IntImm::make(dtype,
                      dtype.bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (dtype.bits - 1)));
}

Ref<BaseFunc> lower_sum(const Call& call) { return lower_reduction(call, "sum", plus(element(call)), false); }
Ref<BaseFunc> lower_mean(const Call& call) { return lower_reduction(call, "mean", plus(element(call)), true); }
Ref<BaseFunc> lower_max(const Call& call) {
  return lower_reduction(call, "max",
                         {lowest(element(call)), [](const Scalar& a, const Scalar& b) { return max(a, b); }}, false);
}

Type infer_mean(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (!x.dtype.is_void() && !x.dtype.is_float())  // C3
    in.error("E0306", "needs a float tensor, got " + x.dtype.str(), "cast it with astype");
  return infer_reduction(in);
}

OpInfo reduction(const char* name, const char* summary, InferFn infer, LowerFn lower) {
  std::vector<std::string> constraints{"C1: each axis is in [-rank, rank - 1]", "C2: none twice"};
  if (infer == infer_mean) constraints.push_back("C3: the dtype is a float");
  return {.name = name,
          .summary = summary,
          .params = {{"x", "tensor"},
                     {"axis", "axis or axes; None reduces all (C1, C2)", ParamKind::Attr, AttrValue()},
                     {"keepdims", "keep reduced axes with size 1", ParamKind::Attr, AttrValue(false)}},
          .constraints = std::move(constraints),
          .infer = infer,
          .lower = lower,
          .fuse = Fuse::Reduce};
}

}  // namespace

void register_statistical_ops(OpTable& ops) {
  ops.add(reduction("sum", "The sum over `axis`; 0 over nothing.", infer_reduction, lower_sum));
  ops.add(reduction("mean", "The mean over `axis`.", infer_mean, lower_mean));
  ops.add(reduction("max", "The largest element over `axis`.", infer_reduction, lower_max));
}

}  // namespace sunmao
