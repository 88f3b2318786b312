#include "compiler/kernel_entries.h"

#include <algorithm>

#include "ir/builder.h"
#include "loop/prim_func.h"
#include "ops/ops.h"
#include "passes/loop/store_nest.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

Type param_type(const PrimParam& p) {
  if (p.buffer) return TensorType::make_unknown(p.buffer->dtype, p.buffer->rank());
  return PrimType::make(p.var->dtype);
}

Ref<Function> entry_of(const Ref<GlobalVar>& var, const PrimFunc& func, const std::string& name) {
  std::vector<Ref<Var>> params;
  std::vector<Expr> args;
  for (size_t i = 0; i < func.params.size(); ++i) {
    params.push_back(Var::make("x" + std::to_string(i), param_type(func.params[i])));
    args.emplace_back(params.back());
  }
  const Type result = func.result_type ? func.result_type : TupleType::make({});
  BlockBuilder b;
  b.emit(Call::make_typed(var, std::move(args), {}, {}, result, {}));
  return b.finish_function(std::move(params), Tuple::make({}), Attrs(AttrMap{{"global_symbol", name}}), false);
}

Type tensor_type(const Buffer& b) { return TensorType::make(b.shape, b.dtype); }

/// Returns how many of the last parameters a kernel stores to; 0 where it stores to others, takes numbers, or returns
/// one.
size_t count_of_results(const PrimFunc& func) {
  const BufferAccesses accesses = buffer_accesses(func.body);
  if (func.result_type || std::ranges::any_of(func.params, [](const PrimParam& p) { return !p.buffer; })) return 0;
  const auto is_stored = [&](const PrimParam& p) { return accesses.stores.contains(p.buffer.get()); };
  const auto first = std::ranges::find_if(func.params, is_stored);
  const bool are_last = std::all_of(first, func.params.end(), is_stored);
  return are_last ? static_cast<size_t>(func.params.end() - first) : 0;
}

Ref<Function> caller_of(const Ref<GlobalVar>& var, const PrimFunc& func, size_t results, const std::string& name) {
  std::vector<Ref<Var>> params;
  std::vector<Expr> args;
  std::vector<Type> types;
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Type type = tensor_type(*func.params[i].buffer);
    if (i + results >= func.params.size()) {
      types.push_back(type);
      continue;
    }
    params.push_back(Var::make("x" + std::to_string(i), type));
    args.emplace_back(params.back());
  }
  BlockBuilder b;
  const Expr call =
      b.emit(Call::make(builtin_ops().get("call_tir"), {var, Tuple::make(std::move(args))}, {}, types, {}));
  return b.finish_function(std::move(params), call, Attrs(AttrMap{{"global_symbol", name}}));
}

}  // namespace

Module with_kernel_calls(const Module& module) {
  std::vector<FunctionEntry> callers;
  for (const FunctionEntry& e : module.functions()) {
    const auto* func = find<PrimFunc>(Expr(e.func));
    if (!func) return module;
    const size_t results = count_of_results(*func);
    if (results == 0) continue;
    std::string name = "call_" + e.var->name;
    while (module.find(name)) name += "_";
    callers.push_back({GlobalVar::make(name), caller_of(e.var, *func, results, name)});
  }
  return module.with_functions(std::move(callers));
}

Module with_kernel_entries(const Module& module) {
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : module.functions()) {
    const auto* func = find<PrimFunc>(Expr(e.func));
    if (!func) return module;
    std::string name = "call_" + e.var->name;
    while (module.find(name)) name += "_";
    entries.push_back({GlobalVar::make(name), entry_of(e.var, *func, name)});
  }
  return module.with_functions(std::move(entries));
}

}  // namespace sunmao
