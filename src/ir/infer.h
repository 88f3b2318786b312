// Type inference for calls by signature and for branches.
#pragma once
#include "ir/expr.h"
#include "ir/module.h"
#include "sym/analyzer.h"

namespace sunmao {

/// Returns the result type of a call, with the symbols that parameters define replaced by the arguments' dimensions;
/// shapes and values with other symbols are erased. Fails with E0310 on a wrong number of arguments, or E0313 for an
/// argument whose type contradicts the parameter's.
Type infer_call(const CallableType& signature, std::span<const Expr> args, const Span& span, const std::string& callee);

/// Returns the callable type of a module function; null when there is no such function or its type is not known.
Type signature_of(const Module& module, const GlobalVar& var);

enum class Fit { Yes, No, Unknown };
/// Yes when every value of type `given` is a value of type `expected`, No when the types contradict each other,
/// Unknown when a run-time check is needed.
Fit fits(const Type& expected, const Type& given, Analyzer& analyzer);

/// Returns a type for values of either type: a dtype, rank, device or whole shape in which they differ becomes unknown.
/// Any for types of different kinds, scalars of different dtypes and tuples of different lengths. Parameters of
/// callables are joined like results.
Type common_type(const Type& a, const Type& b, Analyzer& analyzer);

Type substitute(const Type& type, const std::unordered_map<Ref<SymVar>, Scalar>& symbols);

}  // namespace sunmao
