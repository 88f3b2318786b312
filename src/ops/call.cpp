// Calls that leave the op library: of loop-level functions, and of functions that are found by name at run time.
#include <fmt/format.h>

#include "ops/ops.h"

namespace sunmao {
namespace {

Type infer_told(const InferInput& in) {
  if (in.type_args.empty()) in.error("E0203", "the result type is missing", "give it as out_ty=");  // C1
  return in.type_args.size() == 1 ? in.type_args[0] : TupleType::make({in.type_args.begin(), in.type_args.end()});
}

Type infer_call_tir(const InferInput& in) {
  if (!find<GlobalVar>(in.args[0])) in.error("E0201", "the callee must be a function of the module");  // C2
  in.tuple(1);
  if (in.args.size() > 2 && !find<ShapeType>(in.type(2))) in.error("E0201", "`tir_vars` must be a shape");  // C3
  return infer_told(in);
}

Type infer_packed(const InferInput& in) { return in.type_args.empty() ? AnyType::make() : infer_told(in); }

Type infer_dps_packed(const InferInput& in) {
  if (!find<ExternFunc>(in.args[0]) && !find<GlobalVar>(in.args[0]))
    in.error("E0201", "the callee must be an extern function");
  in.tuple(1);
  return infer_told(in);
}

}  // namespace

void register_call_ops(OpTable& ops) {
  ops.add({.name = "call_tir",
           .summary = "Calls a loop-level function of the module on the tensors of a tuple; the results are new "
                      "tensors of the stated type.",
           .params = {{"gvar", "the loop-level function (C2)", ParamKind::Func},
                      {"args", "tuple of tensors", ParamKind::Tuple},
                      {"tir_vars", "shape: values of the function's scalar parameters (C3)", ParamKind::Shape,
                       AttrValue()}},
           .constraints = {"C1: the result type is given", "C2: the callee is a function of the module",
                           "C3: tir_vars is a shape"},
           .infer = infer_call_tir});
  ops.add({.name = "call_dps_packed",
           .summary = "Calls an extern function on tensors and on memory for its results.",
           .params = {{"func", "the extern function", ParamKind::Func}, {"args", "tuple of tensors", ParamKind::Tuple}},
           .infer = infer_dps_packed});
  ops.add(
      {.name = "call_pure_packed",
       .summary =
           "Calls an extern function that is promised to have no side effects; variadic arguments stand in a tuple.",
       .params = {{"func", "the extern function", ParamKind::Func},
                  {"args", "tuple of the arguments", ParamKind::Tuple}},
       .infer = infer_packed});
}

}  // namespace sunmao
