// A part of a function, such as a branch, as a function of its own.
#pragma once
#include <functional>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"

namespace sunmao {

using Symbols = std::unordered_set<Ref<SymVar>>;

struct OutlinedPart {
  Ref<Function> function;  // shares variables and symbols with the function that it comes from
  std::vector<Expr> args;  // what the call in place of the part passes
};

struct PartContext {
  const Symbols& known;  // symbols that are defined before the part
  bool is_pure = true;
  /// The first parameter and its argument; null: none. What its type says of known symbols is checked in calls.
  Ref<Var> first_param = nullptr;
  Expr first_arg = nullptr;
};

/// Makes a function of a sequence: parameters are the variables that it uses from outside, in order of first use, and
/// the known symbols that it uses and no parameter defines. The function has no type where types are missing.
OutlinedPart outlined_part(const Ref<SeqExpr>& body, const PartContext& context);

/// Returns the symbols that a binding defines, or names as known ones: those of a cast, and a scalar's value.
std::vector<Ref<SymVar>> symbols_of(const Binding& b);
/// The same for all bindings of a sequence.
std::vector<Ref<SymVar>> symbols_of_bindings(const SeqExpr& seq);

/// A function of which parts become functions of their own.
struct OutlineRequest {
  const std::string& name;
  const Ref<Function>& function;
  NameSupply& names;                     // knows the names of all functions
  std::vector<FunctionEntry>& outlined;  // where the new functions go
};
using OutlineFn = std::function<Ref<Function>(const OutlineRequest&)>;

/// Returns the module with what `outline` leaves of each graph-level function, and the new functions behind all others.
/// Functions that hold local ones stay as they are.
Module with_parts_outlined(const Module& m, const OutlineFn& outline);

}  // namespace sunmao
