// Type inference for calls by signature and for branches.
#pragma once
#include "ir/expr.h"
#include "ir/module.h"
#include "sym/analyzer.h"

namespace sunmao {

/// Returns the result type of a call, with the symbols that parameters define replaced by the arguments' dimensions.
/// Fails (E0310, E0313) on a wrong number or type of arguments.
Type infer_call(const CallableType& signature, std::span<const Expr> args, const Span& span, const std::string& callee);

/// Returns the callable type of a module function; null when there is no such function.
Type signature_of(const Module& module, const GlobalVar& var);

enum class Fit { Yes, No, Unknown };
/// Yes when every value of type `given` is a value of type `expected`, No when the types contradict each other,
/// Unknown when a run-time check is needed.
Fit fits(const Type& expected, const Type& given, Analyzer& analyzer);

/// Returns the most precise type that includes the values of both types.
Type common_type(const Type& a, const Type& b, Analyzer& analyzer);

Type substitute(const Type& type, const std::unordered_map<Ref<SymVar>, Scalar>& symbols);

}  // namespace sunmao
