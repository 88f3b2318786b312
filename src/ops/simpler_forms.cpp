#include "ops/simpler_forms.h"

#include <cstring>

#include "ops/ops.h"
#include "ops/params.h"

namespace sunmao {
namespace {

Expr call_op(const char* name, std::vector<Expr> args, AttrMap attrs = {}) {
  return Call::make(builtin_ops().get(name), std::move(args), Attrs(std::move(attrs)));
}

const TensorType& tensor_of(const Expr& e) { return *find<TensorType>(e->type); }

// Makes a constant operand; one of a narrow dtype is a cast call, which is bound to a variable of its own.
Expr number_operand(double value, DType dtype, const EmitFn& emit) {
  Expr number = number_constant(value, dtype);
  return find<Constant>(number) ? number : emit(std::move(number));
}

// Builds (data - mean) / sqrt(variance + epsilon), then scale and shift; the last call is returned without being
// emitted. Statistics and parameters of a batch norm are spread along its axis just before their use.
struct Normal {
  const InferInput& in;
  std::function<Expr()> mean, variance;
  std::function<Expr(const Expr&)> spread;
};

Expr normalised_data(const Normal& n, const EmitFn& emit) {
  auto step = [&](const char* op, std::vector<Expr> args) { return emit(call_op(op, std::move(args))); };
  const Expr& data = n.in.args[0];
  Expr centred = step("subtract", {data, n.mean()});
  Expr variance = n.variance(), epsilon = number_operand(n.in.float_attr("epsilon"), tensor_of(data).dtype, emit);
  Expr out = call_op("divide", {centred, step("sqrt", {step("add", {variance, epsilon})})});
  if (n.in.bool_attr("scale")) {
    Expr unit = emit(std::move(out));
    out = call_op("multiply", {unit, n.spread(n.in.args[1])});
  }
  if (n.in.bool_attr("center")) {
    Expr scaled = emit(std::move(out));
    out = call_op("add", {scaled, n.spread(n.in.args[2])});
  }
  return out;
}

Expr batch_norm(const InferInput& in, const EmitFn& emit) {
  const Expr &mean = in.args[3], &variance = in.args[4];
  const int rank = in.tensor(0).rank;
  const int axis = in.normalize_axis(in.int_attr("axis"), rank);
  auto spread = [&](const Expr& x) { return emit(along_axis(x, axis, rank)); };
  Expr out = emit(normalised_data({in, [&] { return spread(mean); }, [&] { return spread(variance); }, spread}, emit));
  return Tuple::make({out, mean, variance});
}

Expr batch_norm_of_batch(const Call& call, const InferInput& in, const EmitFn& emit) {
  const TensorType& x = in.tensor(0);
  const int axis = in.normalize_axis(in.int_attr("axis"), x.rank);
  std::vector<int64_t> others;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis) others.push_back(i);
  auto statistic = [&](const char* op) {
    return emit(call_op(op, {in.args[0]}, {{"axis", AttrValue::ints(others)}, {"keepdims", false}}));
  };
  Expr mean = statistic("mean"), variance = statistic("variance");
  Expr by_batch = Call::make(call.callee, {in.args[0], in.args[1], in.args[2], mean, variance},
                             call.attrs.with("training", false), {}, call.span);
  Expr out = emit(TupleGetItem::make(emit(std::move(by_batch)), 0));
  const double momentum = in.float_attr("momentum");
  auto moved = [&](const Expr& old, const Expr& batch) {
    Expr kept = emit(call_op("multiply", {number_operand(1 - momentum, x.dtype, emit), old}));
    Expr added = emit(call_op("multiply", {number_operand(momentum, x.dtype, emit), batch}));
    return emit(call_op("add", {kept, added}));
  };
  Expr new_mean = moved(in.args[3], mean), new_variance = moved(in.args[4], variance);
  return Tuple::make({out, new_mean, new_variance});
}

Expr layer_norm(const InferInput& in, const EmitFn& emit) {
  auto statistic = [&](const char* op) {
    return emit(call_op(op, {in.args[0]}, {{"axis", in.attr("axes")}, {"keepdims", true}}));
  };
  return normalised_data({in, [&] { return statistic("mean"); }, [&] { return statistic("variance"); },
                          [](const Expr& parameter) { return parameter; }},
                         emit);
}

// True when the normalised axes are the trailing ones in order, so that the parameters broadcast without a reshape.
bool has_last_axes(const InferInput& in) {
  const int rank = in.tensor(0).rank;
  std::vector<int64_t> axes = in.ints_attr("axes").value_or(std::vector<int64_t>());
  if (rank == kUnknownRank) return false;
  for (size_t i = 0; i < axes.size(); ++i)
    if (in.normalize_axis(axes[i], rank) != rank - static_cast<int>(axes.size() - i)) return false;
  return true;
}

}  // namespace

Expr along_axis(const Expr& x, int kept, int rank) {
  std::vector<int64_t> added;
  for (int i = 0; i < rank; ++i)
    if (i != kept) added.push_back(i);
  return call_op("expand_dims", {x}, {{"axis", AttrValue::ints(added)}});
}

Expr number_constant(double value, DType dtype) {
  if (dtype == DType::float_(32)) return Constant::make(Array::from_floats({}, std::vector{static_cast<float>(value)}));
  if (dtype == DType::float_(64)) {
    ArrayBuilder b(dtype, {});
    std::memcpy(b.data(), &value, sizeof value);
    return Constant::make(std::move(b).finish());
  }
  Expr wide = number_constant(value, DType::float_(32));
  return call_op("astype", {wide}, {{"dtype", dtype}});
}

Expr simpler_form(const Ref<Call>& call, Purpose purpose, const EmitFn& emit) {
  const Op* op = op_of(*call);
  const TensorType* data = op && !call->args.empty() ? find<TensorType>(call->args[0]->type) : nullptr;
  if (!data || data->rank == kUnknownRank || data->dtype.is_void()) return call;
  const bool trains = purpose == Purpose::Training;
  if (op->name() == "nn.batch_norm") {
    InferInput in = input_of(*call);
    return trains ? batch_norm_of_batch(*call, in, emit) : batch_norm(in, emit);
  }
  // For inference a fused layer norm kernel is cheaper than its parts.
  if (op->name() == "nn.layer_norm" && trains)
    if (InferInput in = input_of(*call); has_last_axes(in)) return layer_norm(in, emit);
  return call;
}

}  // namespace sunmao
