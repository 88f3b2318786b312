// Ops that read the fields of a tensor's descriptor at run time.
#include <fmt/format.h>

#include "ops/inspect.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

template <int kBits, bool kSigned>
Type infer_field(const InferInput& in) {
  if (!find<AnyType>(in.type(0))) in.tensor(0);
  return PrimType::make(kSigned ? DType::int_(kBits) : DType::uint(kBits));
}

Type infer_axis_field(const InferInput& in) {
  const auto* axis = find<PrimType>(in.type(1));
  if (!axis || !axis->dtype.is_int())
    in.error("E0201", "`axis` must be an integer scalar, got " + describe(in.type(1)));  // C1
  if (!find<AnyType>(in.type(0))) in.tensor(0);
  const auto* x = find<TensorType>(in.type(0));
  const int64_t* known = axis->value ? find_int(axis->value) : nullptr;
  if (known && *known < 0)
    in.error("E0203", fmt::format("axis {} is out of range", *known), "axes count from 0");  // C2
  if (known && x && x->rank != kUnknownRank) in.normalize_axis(*known, x->rank);
  return PrimType::make(DType::int_(64));
}

using Kind = TensorWish::Kind;

OpSample sample_with_axis(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  return {{x, int_argument(s.between(0, sampled_rank(x) - 1))}};
}

OpInfo field(const char* name, const char* summary, InferFn infer) {
  return {.name = std::string("inspect.") + name,
          .summary = summary,
          .params = {{"tensor", "tensor"}},
          .infer = infer,
          .runs_on_vm = true,
          .sample = sample_unary<Kind::Number>};
}

OpInfo axis_field(const char* name, const char* summary) {
  OpInfo info = field(name, summary, infer_axis_field);
  info.params.push_back(scalar_param("axis", "the axis (C1, C2)"));
  info.constraints = {"C1: axis is an integer scalar", "C2: axis is in [0, rank - 1]"};
  info.sample = sample_with_axis;
  return info;
}

// Returns a size, or the elements from one index of an axis to the next; null where the type does not say.
Scalar size_or_stride(const Call& call, const TensorType& x, bool is_stride) {
  const auto* axis = find<PrimType>(call.args[1]->type);
  const int64_t* known = axis->value ? find_int(axis->value) : nullptr;
  if (!x.dims() || !known) return nullptr;
  const auto place = static_cast<size_t>(*known);
  if (!is_stride) return (*x.dims())[place];
  Scalar stride = int_imm(1);
  for (size_t i = place + 1; i < x.dims()->size(); ++i) stride = stride * (*x.dims())[i];
  return Analyzer().simplify(stride);
}

Scalar field_of(const Call& call, const std::string& name, const TensorType& x) {
  const DType dtype = find<PrimType>(call.type)->dtype;
  const auto number = [&](int64_t n) { return IntImm::make(dtype, n); };
  if (name == "tensor_shape_i" || name == "tensor_stride_i") return size_or_stride(call, x, name == "tensor_stride_i");
  if (name == "tensor_ndim") return x.rank == kUnknownRank ? Scalar() : number(x.rank);
  if (name == "tensor_byte_offset" || name == "tensor_elem_offset") return nullptr;  // the memory's, which a run knows
  if (x.dtype.is_void()) return nullptr;
  return number(name == "tensor_dtype_code"   ? static_cast<int64_t>(x.dtype.code)
                : name == "tensor_dtype_bits" ? x.dtype.bits
                                              : x.dtype.lanes);
}

// A size is replaced by what the tensor's type says.
Expr decompose_shape_i(const Call& call) {
  const Expr field = inspected_field(call);
  return field ? field : Expr(&call);
}

}  // namespace

Expr inspected_field(const Call& call) {
  constexpr std::string_view kFamily = "inspect.";
  const auto* op = find<Op>(call.callee);
  const auto* x = op && op->name().starts_with(kFamily) ? find<TensorType>(call.args[0]->type) : nullptr;
  const Scalar field = x ? field_of(call, op->name().substr(kFamily.size()), *x) : nullptr;
  return field ? PrimValue::make(field, call.span) : Expr();
}

void register_inspect_ops(OpTable& ops) {
  ops.add(field("tensor_dtype_code", "The code of the dtype.", infer_field<8, false>));
  ops.add(field("tensor_dtype_bits", "The bits of an element.", infer_field<8, false>));
  ops.add(field("tensor_dtype_lanes", "The lanes of an element.", infer_field<16, false>));
  ops.add(field("tensor_ndim", "How many axes there are.", infer_field<32, true>));
  OpInfo size = axis_field("tensor_shape_i", "The size of an axis.");
  size.decompose = decompose_shape_i;
  size.runs_on_vm = false;
  size.runs_unlowered = true;
  ops.add(std::move(size));
  ops.add(axis_field("tensor_stride_i", "The step from one element to the next along an axis."));
  ops.add(field("tensor_byte_offset", "Where the elements begin in their memory, in bytes.", infer_field<64, true>));
  ops.add(field("tensor_elem_offset", "Where the elements begin in their memory, in elements.", infer_field<64, true>));
}

}  // namespace sunmao
