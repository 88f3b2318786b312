// Ops that call functions: loop-level functions of the module, extern and Python functions found by name at run time,
// closures.
#include <fmt/format.h>

#include "ops/ops.h"
#include "ops/params.h"

namespace sunmao {
namespace {

Type told_type(const InferInput& in) {
  return in.type_args.size() == 1 ? in.type_args[0] : TupleType::make({in.type_args.begin(), in.type_args.end()});
}

Type infer_told(const InferInput& in) {
  if (in.type_args.empty()) in.error("E0203", "the result type is missing", "give it as out_ty=");  // C1
  return told_type(in);
}

// Whether a value of this type may be called (an unknown type may), and whether a callee has a name: a function of the
// module, an extern function, or a variable that may be called.
bool may_be_called(const Type& type) { return !type || find<AnyType>(type) || find<CallableType>(type); }
bool is_named_callee(const Expr& e) {
  return find<GlobalVar>(e) || find<ExternFunc>(e) || (find<Var>(e) && may_be_called(e->type));
}

std::string kind_of(const InferInput& in, size_t i) { return in.type(i) ? describe(in.type(i)) : "something untyped"; }

Type infer_call_tir(const InferInput& in) {
  if (!is_named_callee(in.args[0]))
    in.error("E0201", "the callee must be a function of the module, or extern, got " + kind_of(in, 0));  // C2
  in.tuple(1);
  if (in.args.size() > 2 && !find<ShapeType>(in.type(2)))
    in.error("E0201", "`tir_vars` must be a shape, got " + kind_of(in, 2));  // C3
  return infer_told(in);
}

// Checks `inplace_indices` (C4 of call_tir_inplace, C2 of call_inplace_packed): for each result the argument whose
// memory it reuses, none twice, or -1 for memory of its own; one argument at least.
void check_places(const InferInput& in, size_t arguments) {
  std::optional<std::vector<int64_t>> places = in.ints_attr("inplace_indices");
  if (!places || places->empty()) in.error("E0203", "`inplace_indices` names no place");
  size_t results = in.type_args.size() == 1 && find<TupleType>(in.type_args[0])
                       ? find<TupleType>(in.type_args[0])->fields.size()
                       : in.type_args.size();
  if (places->size() != results)
    in.error("E0203", fmt::format("`inplace_indices` holds {} places for {} results", places->size(), results));
  bool any = false;
  for (size_t i = 0; i < places->size(); ++i) {
    int64_t place = (*places)[i];
    if (place < -1 || place >= static_cast<int64_t>(arguments))
      in.error("E0203", fmt::format("there is no argument {} to write to", place));
    for (size_t j = 0; j < i && place >= 0; ++j)
      if ((*places)[j] == place) in.error("E0203", fmt::format("argument {} is written to twice", place));
    any = any || place >= 0;
  }
  if (!any) in.error("E0203", "`inplace_indices` names no argument");
}

Type infer_inplace(const InferInput& in) {
  Type out = infer_call_tir(in);
  const std::vector<Type>& given = in.tuple(1).fields;
  check_places(in, given.size());
  const std::optional<std::vector<int64_t>> places = in.ints_attr("inplace_indices");
  for (int64_t place : *places) {
    if (place < 0) continue;
    const Type& type = given[static_cast<size_t>(place)];
    if (!find<TensorType>(type))
      in.error("E0201", fmt::format("argument {} is written to and must be a tensor, got {}", place, describe(type)));
  }
  return out;
}

Type infer_inplace_packed(const InferInput& in) {
  Type out = infer_told(in);
  if (!is_named_callee(in.args[0])) in.error("E0201", "the callee must be an extern function, got " + kind_of(in, 0));
  check_places(in, in.args.size() - 1);
  return out;
}

// Checks that argument 0 may be called: C1 of call_pure_packed, call_builtin_with_ctx and the closure ops.
void need_callable(const InferInput& in) {
  if (!may_be_called(in.type(0)))
    in.error("E0201", fmt::format("`{}` must be a function, got {}", in.op.inputs()[0]->name, describe(in.type(0))));
}

Type packed_type(const InferInput& in) { return in.type_args.empty() ? AnyType::make() : told_type(in); }
Type infer_packed(const InferInput& in) {
  need_callable(in);  // C1
  return packed_type(in);
}

Type infer_dps_packed(const InferInput& in) {
  if (!is_named_callee(in.args[0]))
    in.error("E0201", "the callee must be an extern function, got " + kind_of(in, 0));  // C2
  in.tuple(1);
  return infer_told(in);
}

Type infer_py_func(const InferInput& in) {
  in.tuple(0);
  in.string_attr("func_name");
  return infer_told(in);
}

Type infer_make_closure(const InferInput& in) {
  need_callable(in);
  in.tuple(1);
  return AnyType::make();
}

Type infer_invoke(const InferInput& in) {
  need_callable(in);
  in.tuple(1);
  return packed_type(in);
}

OpInfo loop_call(const char* name, const char* summary, InferFn infer, std::vector<OpParam> more = {}) {
  OpInfo info{.name = name,
              .summary = summary,
              .params = {{"gvar", "the loop-level function (C2)", ParamKind::Func},
                         {"args", "tuple of tensors", ParamKind::Tuple},
                         optional_param("tir_vars", "shape: values of the function's scalar parameters (C3)",
                                        ParamKind::Shape)},
              .constraints = {"C1: the result type is given", "C2: the callee is a function, by its name",
                              "C3: tir_vars is a shape"},
              .infer = infer,
              .calls_argument = true};
  info.params.insert(info.params.end(), more.begin(), more.end());
  return info;
}

void register_closures(OpTable& ops) {
  ops.add(
      {.name = "make_closure",
       .summary = "A function together with values for its last parameters.",
       .params = {{"func", "the function (C1)", ParamKind::Func}, {"args", "tuple of the values", ParamKind::Tuple}},
       .constraints = {"C1: func is a function"},
       .infer = infer_make_closure,
       .runs_on_vm = true,
       .computes = false});
  for (bool pure : {false, true})
    ops.add({.name = pure ? "invoke_pure_closure" : "invoke_closure",
             .summary = pure ? "Calls a closure that is promised to have no side effects." : "Calls a closure.",
             .params = {{"closure", "the closure (C1)", ParamKind::Value},
                        {"args", "tuple of the other arguments", ParamKind::Tuple}},
             .constraints = {"C1: closure is a function"},
             .infer = infer_invoke,
             .is_pure = pure,
             .runs_on_vm = true,
             .calls_argument = true});
}

}  // namespace

void register_call_ops(OpTable& ops) {
  ops.add(loop_call("call_tir",
                    "Calls a loop-level function of the module on the tensors of a tuple; the results are new "
                    "tensors of the stated type.",
                    infer_call_tir));
  OpInfo inplace =
      loop_call("call_tir_inplace", "call_tir whose results take the place of arguments that nothing reads after.",
                infer_inplace, {ints_param("inplace_indices", "for each result its argument, or -1 (C4)")});
  inplace.constraints.push_back(
      "C4: a place for each result, -1 or a tensor among the arguments, none twice, one at least");
  inplace.is_in_place = true;
  ops.add(std::move(inplace));
  ops.add(loop_call(
      "call_tir_with_grad", "call_tir with the name of the function that makes its gradient.", infer_call_tir,
      {string_param("te_grad_name", "the name of the gradient"),
       attr_param(AttrKind::Any, "te_grad_kwargs", "a dict: what the gradient is given", AttrValue(AttrMap{}))}));
  ops.add({.name = "call_dps_packed",
           .summary = "Calls an extern function on tensors and on memory for its results.",
           .params = {{"func", "the extern function (C2)", ParamKind::Func},
                      {"args", "tuple of tensors", ParamKind::Tuple}},
           .constraints = {"C1: the result type is given", "C2: the callee is a function, by its name"},
           .infer = infer_dps_packed,
           .calls_argument = true});
  ops.add(
      {.name = "call_pure_packed",
       .summary =
           "Calls an extern function that is promised to have no side effects; variadic arguments stand in a tuple.",
       .params = {{"func", "the extern function (C1)", ParamKind::Func},
                  {"args", "tuple of the arguments", ParamKind::Tuple}},
       .constraints = {"C1: func is a function"},
       .infer = infer_packed,
       .calls_argument = true});
  ops.add({.name = "call_inplace_packed",
           .summary = "Calls an extern function that writes into arguments which nothing reads after.",
           .params = {{"func", "the extern function (C3)", ParamKind::Func},
                      {"args", "the arguments", ParamKind::Variadic},
                      ints_param("inplace_indices", "for each result its argument, or -1 (C2)")},
           .constraints = {"C1: the result type is given",
                           "C2: a place for each result, -1 or an argument, none twice, one at least",
                           "C3: the callee is a function, by its name"},
           .infer = infer_inplace_packed,
           .calls_argument = true,
           .is_in_place = true});
  ops.add({.name = "call_builtin_with_ctx",
           .summary = "Calls a function of the virtual machine, which sees the machine too.",
           .params = {{"func", "the extern function (C1)", ParamKind::Func},
                      {"args", "tuple of the arguments", ParamKind::Tuple}},
           .constraints = {"C1: func is a function"},
           .infer = infer_packed,
           .is_pure = false,
           .runs_on_vm = true,
           .calls_argument = true});
  ops.add({.name = "call_py_func",
           .summary = "Calls a Python function of the module's host.",
           .params = {string_param("func_name", "the function's name"), {"args", "tuple of tensors", ParamKind::Tuple}},
           .constraints = {"C1: the result type is given"},
           .infer = infer_py_func});
  register_closures(ops);
}

}  // namespace sunmao
