// Decorators of functions and classes, and declarations of symbols, as read at the graph level and the loop level.
#pragma once
#include "script/script_context.h"

namespace sunmao::script {

enum class DecoratorKind : uint8_t { None, Module, Graph, Loop, Macro };
/// Returns what the decorators of a class or function mark it as: a module (`@I.ir_module`), a graph-level or
/// loop-level function (`@R.function`, `@T.prim_func`), a macro, or nothing when there are none. Fails (E0117) when
/// none of them is known, for `@pyfunc`, and for a mark of a module on a function or the reverse.
DecoratorKind decorator_kind(const ScriptContext& context, const PyStmt& def);
/// Returns the boolean keyword argument `name` of the decorator, when present.
std::optional<bool> decorator_flag(const ScriptContext& context, const PyStmt& def, std::string_view name);
/// Returns the function's name in the module: `global_name=` of the decorator, else the name behind `def`.
std::string global_name(const ScriptContext& context, const PyStmt& def);
/// Fails for keyword arguments of the decorator that are not among `known` (E0109), and for positional ones (E0108).
void check_decorator(const ScriptContext& context, const PyStmt& def, std::initializer_list<std::string_view> known);
/// Fails (E0109) for a private function with a `global_symbol` attribute.
void check_private(const ScriptContext& context, const PyStmt& def, bool is_private, const AttrMap& attrs);
/// Returns the dtype that the declaration of a symbol states: `T.int64()`, or `T.handle(…)` for a pointer; absent for
/// other expressions.
std::optional<DType> declared_scalar(const PyExpr& value);

/// One `name = value` of an assignment; `n, m = T.int64(), T.int64()` has several.
struct Assigned {
  const PyExpr* target;
  const PyExpr* value;
};
std::vector<Assigned> assigned_parts(const PyStmt& assignment);

}  // namespace sunmao::script
