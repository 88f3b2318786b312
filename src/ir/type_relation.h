// Relations between types, and what is read off them: which subsumes which and how surely, what remains without
// symbols, which scalars they mention.
#pragma once
#include "ir/infer.h"
#include "sym/walk.h"

namespace sunmao {

/// Whether they are one device: lists and types have nodes of their own.
bool same_device(const VDevice& a, const VDevice& b);

/// Whether `base` subsumes `derived`: every value of `derived` is one of `base`. The levels order from worst to best;
/// a composite has the worst of its parts.
enum class BaseCheck : uint8_t {
  Disjoint,       // no value is of both types
  StaticUnknown,  // dtype, rank or kind of `derived` is not known well enough
  ShapeUnknown,   // only the equality of dimensions or values is open
  Pass
};
BaseCheck base_check(const Type& base, const Type& derived, Analyzer& analyzer);

/// The result of a call by signature, where every argument must fit by what is known statically: E0310 for a wrong
/// number of arguments, E0313 where the check gives `Disjoint` or `StaticUnknown`.
Type derive_call_result(const CallableType& signature, std::span<const Expr> args, const Span& span,
                        const std::string& callee);

/// The type without dimensions and values: kinds, ranks, dtypes, devices.
Type static_type(const Type& type);

/// `type` in terms of what `symbols` and `vars` define: their symbols and shape variables become what they map to; a
/// shape that mentions any other is forgotten but for its rank. Callable types are closed and stay.
Type erase_to_well_defined(const Type& type, const Substitution& symbols,
                           const std::unordered_map<Ref<Var>, Expr>& vars = {});

/// Symbols that an argument of this type defines: those which stand alone as a dimension or a value, in the parameters
/// of callable types too.
std::vector<Ref<SymVar>> definable_symbols(const Type& type);

/// Symbols that a value of this type needs defined outside: all but those which the parameters of a callable define.
std::vector<Ref<SymVar>> unbound_symbols(const Type& type);

/// The scalars that are not negative because they are dimensions, in order of first occurrence; constants aside.
std::vector<Scalar> non_negative_scalars(const Type& type);

}  // namespace sunmao
