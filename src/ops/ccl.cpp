// Ops of collective communication between workers, and of sharding tensors among them.
#include <fmt/format.h>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

Type infer_allreduce(const InferInput& in) {
  word_attr(in, "op_type", {"sum", "prod", "min", "max", "avg"});  // C1
  return infer_as_tensor(in);
}

Type infer_laid_out(const InferInput& in) {
  const AttrValue& mesh = in.attr("device_mesh");
  if (!mesh.find<std::string>() && !mesh.find<Ref<GlobalInfo>>())  // C1
    in.error("E0203", "attribute `device_mesh` must be a mesh of devices, or its name");
  in.string_attr("placement");  // C2
  return infer_as_tensor(in);
}

int64_t workers(const InferInput& in) {
  int64_t n = in.int_attr("num_workers");
  if (n < 1) in.error("E0203", fmt::format("`num_workers` cannot be {}", n));
  return n;
}

Type infer_allgather(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  int64_t n = workers(in);  // C1
  if (!written(x) || x.rank == 0) return in.type(0);
  return TensorType::make(with_index(*written(x), 0, in.analyzer().simplify(written(x)->front() * int_imm(n))), x.dtype,
                          x.vdevice);
}

// Inference of ccl.scatter_from_worker0 and dist.redistribute_replica_to_shard: each worker receives an equal part of
// an axis.
Type infer_parted(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  int64_t n = workers(in);  // C1
  if (x.rank == kUnknownRank) return in.type(0);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C2
  const int64_t* size = x.dims() ? find_int((*x.dims())[axis]) : nullptr;
  if (size && *size % n != 0)  // C3
    in.error("E0309", fmt::format("an axis of {} does not divide among {} workers", *size, n));
  if (!written(x)) return in.type(0);
  Scalar part = in.analyzer().simplify(floor_div((*written(x))[axis], int_imm(n)));
  return TensorType::make(with_index(*written(x), axis, part), x.dtype, x.vdevice);
}

Type infer_local_view(const InferInput& in) {
  if (!find<GlobalVar>(in.args[0]))
    in.error("E0201", fmt::format("the callee must be a function of the module, got {}", describe(in.type(0))));  // C1
  in.tuple(1);
  if (in.type_args.empty()) in.error("E0203", "the result type is missing", "give it as out_ty=");  // C2
  return in.type_args.size() == 1 ? in.type_args[0] : TupleType::make({in.type_args.begin(), in.type_args.end()});
}

OpInfo communication(const char* name, const char* summary, std::vector<OpParam> attrs,
                     std::vector<std::string> constraints, InferFn infer, LayoutFn layout = nullptr) {
  std::vector<OpParam> params{{"x", "tensor"}};
  params.insert(params.end(), attrs.begin(), attrs.end());
  return {.name = name,
          .summary = summary,
          .params = std::move(params),
          .constraints = std::move(constraints),
          .infer = infer,
          .layout = layout};
}

OpParam workers_param() { return int_param("num_workers", "how many workers there are (C1)"); }
OpParam group_param() { return bool_param("in_group", "among the worker's group alone", true); }

}  // namespace

void register_ccl_ops(OpTable& ops) {
  std::vector<std::string> one_worker{"C1: one worker at least"};
  std::vector<std::string> parted{"C1: one worker at least", "C2: axis is in [-rank, rank - 1]",
                                  "C3: the axis divides among the workers"};
  ops.add(communication(
      "ccl.allreduce", "The x of all workers made one, on each of them.",
      {string_param("op_type", "\"sum\", \"prod\", \"min\", \"max\" or \"avg\" (C1)", "sum"), group_param()},
      {"C1: op_type is one of the five"}, infer_allreduce, layout_elementwise));
  ops.add(communication("ccl.allgather", "The x of all workers one behind the other, on each of them.",
                        {workers_param(), group_param()}, one_worker, infer_allgather));
  ops.add(communication("ccl.broadcast_from_worker0", "The x of the first worker, on each of them.", {}, {},
                        infer_as_tensor, layout_elementwise));
  ops.add(communication("ccl.scatter_from_worker0", "To each worker its part of the first worker's x.",
                        {workers_param(), int_param("axis", "the axis that is parted (C2, C3)", 0)}, parted,
                        infer_parted));
  OpInfo to_shard =
      communication("dist.redistribute_replica_to_shard", "Of a tensor that all have, to each worker its part.",
                    {workers_param(), int_param("axis", "the axis that is parted (C2, C3)")}, parted, infer_parted);
  to_shard.params[0].name = "input";
  ops.add(std::move(to_shard));
  for (bool moves : {false, true})
    ops.add({.name = moves ? "dist.redistribute" : "dist.annotate_sharding",
             .summary = moves ? "input, laid out on the devices of a mesh in another way."
                              : "input; and how it shall lie on the devices of a mesh.",
             .params = {{"input", "tensor"},
                        attr_param(AttrKind::Any, "device_mesh", "the mesh of devices, or its name (C1)", {}),
                        string_param("placement", "which axis lies along which side of the mesh (C2)")},
             .constraints = {"C1: device_mesh is a mesh, or its name", "C2: placement is a text"},
             .infer = infer_laid_out,
             .computes = moves});
  ops.add({.name = "dist.call_tir_local_view",
           .summary = "call_tir on the parts of tensors that each worker has.",
           .params = {{"gvar", "the loop-level function (C1)", ParamKind::Func},
                      {"args", "tuple of tensors", ParamKind::Tuple},
                      optional_param("tir_vars", "shape: values of scalar parameters", ParamKind::Shape)},
           .constraints = {"C1: the callee is a function of the module", "C2: the result type is given"},
           .infer = infer_local_view,
           .calls_argument = true});
}

}  // namespace sunmao
