// Types of what is built from typed parts: calls by signature, branches that meet.
#pragma once
#include "ir/expr.h"
#include "ir/module.h"
#include "sym/analyzer.h"

namespace sunmao {

/// The result of calling something of type `signature`: symbols that its parameters define are replaced by what the
/// arguments have there. Fails (E0310, E0313) on a wrong number or type of arguments.
Type infer_call(const CallableType& signature, std::span<const Expr> args, const Span& span, const std::string& callee);

/// The callable type of a function of the module, by name; null when there is none.
Type signature_of(const Module& module, const GlobalVar& var);

enum class Fit { Yes, No, Unknown };
/// Whether every value of type `given` may stand where `expected` is asked for. Unknown needs a check at run time.
Fit fits(const Type& expected, const Type& given, Analyzer& analyzer);

/// The least that holds of values of either type.
Type common_type(const Type& a, const Type& b, Analyzer& analyzer);

Type substitute(const Type& type, const std::unordered_map<Ref<SymVar>, Scalar>& symbols);

}  // namespace sunmao
