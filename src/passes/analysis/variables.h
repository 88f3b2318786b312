// Queries for the variables, symbols and bindings of an expression. `free_vars` is in ir/walk.h.
#pragma once
#include <map>

#include "ir/walk.h"

namespace sunmao {

/// Returns the variables that the expression defines, parameters and bound variables, in order of definition.
std::vector<Ref<Var>> bound_vars(const Expr& e);
/// Returns every variable that is defined or used, in order of first occurrence.
std::vector<Ref<Var>> all_vars(const Expr& e);
/// Returns every variable that is used, in order of first use.
std::vector<Ref<Var>> used_vars(const Expr& e);
/// Returns the module functions that the expression refers to, in order of first occurrence.
std::vector<Ref<GlobalVar>> all_global_vars(const Expr& e);
/// Returns the module functions that the expression calls: as a callee, or as the first argument of an op, such as
/// call_tir.
std::vector<Ref<GlobalVar>> called_global_vars(const Expr& e);

/// Maps the name of each function that is referred to by a graph-level function to the name of the first function that
/// does so.
std::unordered_map<std::string, std::string> first_callers(const Module& module);

/// Returns the symbols that parameters and casts in the expression define.
std::vector<Ref<SymVar>> defined_symbolic_vars(const Expr& e);
/// Returns the symbols that types, shapes and scalars in the expression use and nothing in it defines.
std::vector<Ref<SymVar>> free_symbolic_vars(const Expr& e);

/// Groups the bindings in the expression by variable name, in order; names need not be unique.
std::map<std::string, std::vector<Binding>> name_to_binding(const Expr& e);
/// Maps each variable that the expression binds to the value it is bound to.
std::unordered_map<Ref<Var>, Expr> var_to_value(const Expr& e);

/// Returns the use count of each variable that the expression uses.
std::unordered_map<Ref<Var>, int> count_uses(const Expr& e);

struct VarUses {
  Ref<Var> var;
  std::vector<Ref<Var>> users;  // variables whose values use `var`, in order
};
/// Returns the users of each variable that the block defines or uses, in order of first occurrence.
std::vector<VarUses> use_def_chains(const BindingBlock& block);

}  // namespace sunmao
