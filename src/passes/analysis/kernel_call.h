// KernelCall: a decomposed call_tir, with the loop-level function and the values of its symbols in the caller.
#pragma once
#include <map>

#include "ir/builder.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "sym/walk.h"

namespace sunmao {

struct KernelCall {
  const GlobalVar* callee;
  std::vector<Expr> inputs;
  std::vector<Type> outputs;
  Ref<PrimFunc> func;
  /// Maps each symbol that is a dimension of a buffer parameter of `func`, and each scalar parameter, to its value in
  /// the caller's symbols.
  Substitution symbols;
  /// For each output the index of the input in whose place it is, or -1 for memory of its own; empty of a call_tir.
  std::vector<int64_t> places = {};

  bool is_in_place(size_t output) const { return !places.empty() && places[output] >= 0; }
};

/// True for a call of the op `call_tir`.
bool is_kernel_call(const Call& call);

/// Returns nullopt when `e` is not a call_tir of a loop-level function of `module`, or its arguments are not a tuple
/// expression. Fails (E0508) when the arguments do not match the parameters.
std::optional<KernelCall> find_kernel_call(const Expr& e, const Module& module);
/// The same of a call_tir_inplace.
std::optional<KernelCall> find_update_call(const Expr& e, const Module& module);

/// Returns the loop-level functions that these functions of the module name, directly or in graph-level functions that
/// they name, by name.
std::map<std::string, Ref<PrimFunc>> kernels_of(const Module& module, std::vector<Ref<Function>> functions);

/// Returns a call_tir of `func` on `tensors`. `func` is expressed in the caller's symbols; it is added to `functions`
/// under a name derived from `hint`.
Ref<Call> call_kernel(BlockBuilder& functions, const std::string& hint, const Ref<PrimFunc>& func,
                      std::vector<Expr> tensors, const Type& result, Span span);

/// Returns a module with the functions of another one that it has not.
Module with_new_functions(const Module& module, const Module& from);

/// Returns a copy of the called loop-level function in the caller's symbols, without its scalar parameters, and with
/// fresh nodes for everything that it defines.
Ref<PrimFunc> instantiate(const KernelCall& call);

/// Returns the symbols in scalar arguments of a kernel call; the body may use them though no shape contains them.
std::vector<Ref<SymVar>> scalar_symbols(const KernelCall& call);

/// Returns a kernel with scalar parameters for the symbols that are not a dimension of a tensor parameter on their own,
/// and for the symbols in `used`.
Ref<PrimFunc> with_scalars(std::vector<PrimParam> params, std::vector<Ref<SymVar>> used, const Stmt& body, Attrs attrs);

}  // namespace sunmao
