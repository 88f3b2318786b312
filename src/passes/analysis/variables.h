// Variables, symbols and bindings of expressions: which there are, which are free, what each stands for.
// `free_vars` is in ir/walk.h.
#pragma once
#include <map>

#include "ir/walk.h"

namespace sunmao {

/// Variables that the expression declares, parameters and bound ones, in order of declaration.
std::vector<Ref<Var>> bound_vars(const Expr& e);
/// Every variable that is declared or used, in order of first occurrence.
std::vector<Ref<Var>> all_vars(const Expr& e);
/// Every variable that is read, in order of first use.
std::vector<Ref<Var>> used_vars(const Expr& e);
/// Functions of the module that the expression names, in order of first occurrence.
std::vector<Ref<GlobalVar>> all_global_vars(const Expr& e);
/// Those among them that are called, as a callee or as the function that a call_tir hands its tensors to.
std::vector<Ref<GlobalVar>> called_global_vars(const Expr& e);

/// By the name of each function that some function of the graph level names: the first that does.
std::unordered_map<std::string, std::string> first_callers(const Module& module);

/// Symbols that the parameters and casts in the expression define.
std::vector<Ref<SymVar>> defined_symbolic_vars(const Expr& e);
/// Symbols that types, shapes and scalars in the expression use and nothing in it defines.
std::vector<Ref<SymVar>> free_symbolic_vars(const Expr& e);

/// The bindings of each name, in their order; names may repeat.
std::map<std::string, std::vector<Binding>> name_to_binding(const Expr& e);
/// What each variable is bound to.
std::unordered_map<Ref<Var>, Expr> var_to_value(const Expr& e);

/// How often each variable is read.
std::unordered_map<Ref<Var>, int> count_uses(const Expr& e);

struct VarUses {
  Ref<Var> var;
  std::vector<Ref<Var>> users;  // variables whose values read it, in order
};
/// Use-def chains of a block: its variables and those it reads, in order of first occurrence.
std::vector<VarUses> use_def_chains(const BindingBlock& block);

}  // namespace sunmao
