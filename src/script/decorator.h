// What decorators and declarations say, for both kinds of function.
#pragma once
#include "script/script_context.h"

namespace sunmao::script {

enum class DecoratorKind : uint8_t { None, Module, Graph, Loop, Macro };
/// Which kind of thing `@I.ir_module`, `@R.function`, `@T.prim_func` (and their older spellings) mark; E0117 for
/// others.
DecoratorKind decorator_kind(const ScriptContext& context, const PyStmt& def);
/// The keyword of the decorator as a flag, when it is given.
std::optional<bool> decorator_flag(const ScriptContext& context, const PyStmt& def, std::string_view name);
/// The name of the function in the module: that behind `def`, or `global_name=` of the decorator.
std::string global_name(const ScriptContext& context, const PyStmt& def);
/// E0109 for keywords that are not among `known`.
void check_decorator(const ScriptContext& context, const PyStmt& def, std::initializer_list<std::string_view> known);
/// E0109 for a private function that gives itself a symbol.
void check_private(const ScriptContext& context, const PyStmt& def, bool is_private, const AttrMap& attrs);
/// The dtype of `T.int64()`: a declaration of a scalar.
std::optional<DType> declared_scalar(const PyExpr& value);

/// One `name = value` of an assignment; `n, m = T.int64(), T.int64()` has several.
struct Assigned {
  const PyExpr* target;
  const PyExpr* value;
};
std::vector<Assigned> assigned_parts(const PyStmt& assignment);

}  // namespace sunmao::script
