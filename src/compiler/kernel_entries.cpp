#include "compiler/kernel_entries.h"

#include "ir/builder.h"
#include "loop/prim_func.h"
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

}  // namespace

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
