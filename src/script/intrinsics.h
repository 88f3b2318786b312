// What scripts say of scalar functions `T.<name>(…)`: which are operators, which name their dtype, what the others
// give.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sym/scalar.h"

namespace sunmao::script {

/// `T.min`, `T.floordiv`, `T.EQ` …: functional spellings of an operator.
std::optional<BinaryOp> find_operator(std::string_view function);
/// "+", "//", "and" …; nullptr for operators that have a functional spelling alone (min, max, truncmod).
const char* symbol_of(BinaryOp op);
/// How tightly Python binds the symbol; larger is tighter.
int precedence_of(BinaryOp op);
/// "Add", "FloorDiv", "truncmod", "min" …: the functional spelling that is printed.
const char* function_of(BinaryOp op);

/// Whether the first argument of `T.<name>` is the dtype of its result, such as `T.call_extern("int32", "f")`.
bool takes_dtype_first(std::string_view name);
/// Whether its last one is, as in `T.tvm_struct_get(x, 0, 1, "int32")`.
bool takes_dtype_last(std::string_view name);
/// Whether `T.<name>(…)` is a function that the dialect knows; the names of device families (`ptx.…`) are open.
bool is_intrinsic(std::string_view name);
/// "did you mean `T.exp`?", or nothing.
std::string nearest_intrinsic(std::string_view name);
/// Whether plain numbers among the arguments take the type of the others, such as `T.pow(x, 2)`.
bool adapts_numbers(std::string_view name);
/// The dtype of `T.<name>(args)` where it is not said.
DType default_dtype(std::string_view name, std::span<const Scalar> args);
/// Whether `T.<name>` is something else than a scalar function: a loop, a block, a declaration.
bool is_statement_name(std::string_view name);

}  // namespace sunmao::script
