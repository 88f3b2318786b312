// Scalar functions `T.<name>(…)` in scripts: which ones are operators, where their dtype argument is, and the dtype of
// their result.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sym/scalar.h"

namespace sunmao::script {

/// Returns the operator that `T.<function>(a, b)` applies, as `T.min`, `T.floordiv` and `T.EQ` do; absent for other
/// functions.
std::optional<BinaryOp> find_operator(std::string_view function);
/// Returns the infix symbol ("+", "//", "and" …); null for operators with a functional spelling only (min, max,
/// truncmod).
const char* symbol_of(BinaryOp op);
/// Returns the precedence of the symbol in Python; a larger number binds tighter.
int precedence_of(BinaryOp op);
/// Returns the functional spelling that is printed: "Add", "FloorDiv", "truncmod", "min" …
const char* function_of(BinaryOp op);

/// True when the first argument of `T.<name>` is the dtype of its result, as in `T.call_extern("int32", "f")`.
bool takes_dtype_first(std::string_view name);
/// True when the last argument of `T.<name>` is the dtype of its result, as in `T.tvm_struct_get(x, 0, 1, "int32")`.
bool takes_dtype_last(std::string_view name);
/// True when `T.<name>(…)` is a function of the dialect; in device families (`ptx.…`, `ptx_…`, `simdgroup_…`) any
/// name is one.
bool is_intrinsic(std::string_view name);
/// Returns a hint such as "did you mean `T.exp`?", or an empty string when no known name is similar.
std::string nearest_intrinsic(std::string_view name);
/// True when literal arguments of `T.<name>` take the dtype of the other arguments, as in `T.pow(x, 2)`.
bool adapts_numbers(std::string_view name);
/// Returns the dtype of `T.<name>(args)` when no argument specifies it.
DType default_dtype(std::string_view name, std::span<const Scalar> args);
/// True for `T.grid`, `T.Buffer` and other known names that give no scalar.
bool is_statement_name(std::string_view name);

}  // namespace sunmao::script
