#include "passes/analysis/kernel_call.h"

#include <algorithm>
#include <unordered_set>

#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/analysis/variables.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

[[noreturn]] void mismatch(const Call& call, const std::string& callee, const std::string& what) {
  fail("E0508", call.span, fmt::format("{} of `{}`: {}", op_of(call)->name(), callee, what),
       "compare the function's parameters with the call's arguments");
}

std::vector<int64_t> places_of(const Call& call) {
  const AttrValue* places = call.attrs.find("inplace_indices");
  return places ? places->as_ints().value_or(std::vector<int64_t>()) : std::vector<int64_t>();
}

// Returns the value of a number; null for other values.
Scalar scalar_of(const Expr& e) {
  const auto* type = find<PrimType>(e->type);
  return type ? type->value : nullptr;
}

// Returns the call of a loop-level function in parts; `call` may be null.
std::optional<KernelCall> parts_of(const Call* call, const Module& module) {
  const auto* callee = call ? find<GlobalVar>(call->args[0]) : nullptr;
  const auto* inputs = call ? find<Tuple>(call->args[1]) : nullptr;
  Ref<PrimFunc> func = callee ? module.find_as<PrimFunc>(callee->name) : nullptr;
  if (!func || !inputs) return std::nullopt;
  const auto* tuple = find<TupleType>(call->type);
  KernelCall k{callee, {}, tuple ? tuple->fields : std::vector{call->type}, func, {}};
  std::vector<Scalar> scalars;         // among the tensors, as `fuse-tir` passes them, or behind all
  std::vector<int64_t> tensor_places;  // of each input, among the tensors
  for (const Expr& i : inputs->fields) {
    tensor_places.push_back(static_cast<int64_t>(k.inputs.size()));
    if (const Scalar value = scalar_of(i))
      scalars.push_back(value);
    else
      k.inputs.push_back(i);
  }
  for (int64_t place : places_of(*call))
    k.places.push_back(place < 0 ? place : tensor_places.at(static_cast<size_t>(place)));
  const size_t among_tensors = scalars.size();
  if (const auto* last = call->args.size() > 2 ? find<ShapeExpr>(call->args[2]) : nullptr)
    std::ranges::copy(last->values, std::back_inserter(scalars));
  std::vector<Type> types;
  for (const Expr& i : k.inputs) types.push_back(i->type);
  for (size_t i = 0; i < k.outputs.size(); ++i)
    if (!k.is_in_place(i)) types.push_back(k.outputs[i]);
  std::vector<Ref<Buffer>> buffers = func->buffers();
  if (buffers.size() != types.size())
    mismatch(*call, callee->name,
             fmt::format("it takes {} tensors, got {} with the results", buffers.size(), types.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    const auto* t = find<TensorType>(types[i]);
    if (!t || !t->dims() || t->rank != buffers[i]->rank() || t->dtype != buffers[i]->dtype)
      mismatch(*call, callee->name,
               fmt::format("`{}` is {} of rank {}, got {}", buffers[i]->name, buffers[i]->dtype.str(),
                           buffers[i]->rank(), describe(types[i])));
    for (size_t d = 0; d < t->dims()->size(); ++d)
      if (Ref<SymVar> s = find_ref<SymVar>(buffers[i]->shape[d])) k.symbols.try_emplace(s, (*t->dims())[d]);
  }
  size_t next = 0;
  for (const PrimParam& p : func->params) {
    if (p.buffer) continue;
    if (next == scalars.size()) mismatch(*call, callee->name, fmt::format("no value for the scalar `{}`", p.var->name));
    k.symbols[p.var] = scalars[next++];
  }
  if (next < among_tensors)
    mismatch(*call, callee->name,
             fmt::format("{} numbers stand among the tensors, and it takes {}", among_tensors, next));
  return k;
}

}  // namespace

bool is_kernel_call(const Call& call) { return find_call(Expr(&call), "call_tir"); }

std::optional<KernelCall> find_kernel_call(const Expr& e, const Module& module) {
  return parts_of(find_call(e, "call_tir"), module);
}

std::optional<KernelCall> find_update_call(const Expr& e, const Module& module) {
  return parts_of(find_call(e, "call_tir_inplace"), module);
}

Ref<Call> call_kernel(BlockBuilder& functions, const std::string& hint, const Ref<PrimFunc>& func,
                      std::vector<Expr> tensors, const Type& result, Span span) {
  std::vector<Expr> args{functions.add_function(hint, func), Tuple::make(std::move(tensors))};
  std::vector<Scalar> scalars;
  for (const PrimParam& p : func->params)
    if (!p.buffer) scalars.push_back(p.var);
  if (!scalars.empty()) args.push_back(ShapeExpr::make(std::move(scalars)));
  return Call::make(builtin_ops().get("call_tir"), std::move(args), {}, {result}, std::move(span));
}

Module with_new_functions(const Module& module, const Module& from) {
  std::vector<FunctionEntry> added;
  for (const FunctionEntry& e : from.functions())
    if (!module.find(e.var->name)) added.push_back(e);
  return module.with_functions(std::move(added));
}

Ref<PrimFunc> instantiate(const KernelCall& call) {
  Stmt body = with_fresh_names(call.func->body);
  BufferMap buffers;
  std::vector<PrimParam> params;
  for (const PrimParam& p : call.func->params) {
    if (!p.buffer) continue;
    std::vector<Scalar> shape;
    for (const Scalar& d : p.buffer->shape) shape.push_back(substitute(d, call.symbols));
    Ref<Buffer> fresh = Buffer::make(p.buffer->name, p.buffer->dtype, std::move(shape));
    buffers[p.buffer] = fresh;
    params.push_back({SymVar::make(p.var ? p.var->name : "p_" + p.buffer->name, DType::handle()), fresh});
  }
  return PrimFunc::make(std::move(params), substitute(body, call.symbols, buffers), call.func->attrs,
                        call.func->result_type, call.func->span);
}

std::map<std::string, Ref<PrimFunc>> kernels_of(const Module& module, std::vector<Ref<Function>> functions) {
  std::map<std::string, Ref<PrimFunc>> kernels;
  std::unordered_set<std::string> seen;
  while (!functions.empty()) {
    const Ref<Function> f = std::move(functions.back());
    functions.pop_back();
    for (const Ref<GlobalVar>& g : all_global_vars(Expr(f))) {
      if (Ref<PrimFunc> kernel = module.find_as<PrimFunc>(g->name)) kernels.emplace(g->name, std::move(kernel));
      Ref<Function> next = module.find_as<Function>(g->name);
      if (next && seen.insert(g->name).second) functions.push_back(std::move(next));
    }
  }
  return kernels;
}

std::vector<Ref<SymVar>> scalar_symbols(const KernelCall& call) {
  std::vector<Ref<SymVar>> out;
  for (const PrimParam& p : call.func->params)
    if (!p.buffer) std::ranges::copy(free_symbols(call.symbols.at(p.var)), std::back_inserter(out));
  return out;
}

Ref<PrimFunc> with_scalars(std::vector<PrimParam> params, std::vector<Ref<SymVar>> used, const Stmt& body,
                           Attrs attrs) {
  std::vector<Ref<SymVar>> own;
  for (const PrimParam& p : params)
    for (const Scalar& d : p.buffer->shape)
      if (find<SymVar>(d)) own.push_back(find_ref<SymVar>(d));
  Ref<PrimFunc> f = PrimFunc::make(params, body, attrs);
  std::ranges::copy(f->dims(), std::back_inserter(used));
  for (const Ref<SymVar>& s : used) {
    if (std::ranges::find(own, s) != own.end()) continue;
    own.push_back(s);
    params.push_back({s, nullptr});
  }
  return PrimFunc::make(std::move(params), body, std::move(attrs));
}

}  // namespace sunmao
