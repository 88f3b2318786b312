// Relations between types (subsumption), types without symbols, and the symbols and scalars in types.
#pragma once
#include "ir/infer.h"
#include "sym/walk.h"

namespace sunmao {

/// True when the devices are equal; the same device may have several nodes.
bool same_device(const VDevice& a, const VDevice& b);

/// Whether `base` subsumes `derived`, that is, every value of `derived` is a value of `base`. Ordered from worst to
/// best; the result for a composite type is the worst of its parts.
enum class BaseCheck : uint8_t {
  Disjoint,       // the types have no common value
  StaticUnknown,  // kind, dtype, rank or device of `derived` is too imprecise to decide
  ShapeUnknown,   // only the equality of dimensions or values is undecided
  Pass
};
BaseCheck base_check(const Type& base, const Type& derived, Analyzer& analyzer);

/// Returns the result type of a call whose arguments must fit statically: fails (E0310) on a wrong number of arguments
/// and (E0313) where the check yields `Disjoint` or `StaticUnknown`.
Type derive_call_result(const CallableType& signature, std::span<const Expr> args, const Span& span,
                        const std::string& callee);

/// Returns whether a tensor of this dtype and these sizes is of the type. Only dimensions that the type gives as
/// numbers are compared; a type that is no tensor type accepts any.
bool fits(const Type& type, std::string_view dtype, std::span<const int64_t> sizes);

/// Returns the type without dimensions and values: kinds, ranks, dtypes and devices remain.
Type static_type(const Type& type);

/// Returns `type` with symbols replaced by the map `symbols`, and variables that are the shape of a tensor by `vars`; a
/// shape that uses others is erased to its rank, a scalar value to its dtype. Callable types are unchanged.
Type erase_to_well_defined(const Type& type, const Substitution& symbols,
                           const std::unordered_map<Ref<Var>, Expr>& vars = {});

/// Returns the symbols that an argument of this type defines: those that are a whole dimension or value, also in the
/// parameters of callable types.
std::vector<Ref<SymVar>> definable_symbols(const Type& type);

/// Returns the symbols in a type, except those that the parameters of a callable type define.
std::vector<Ref<SymVar>> unbound_symbols(const Type& type);

/// Returns the dimensions and shape values in a type, which are not negative, in order of first occurrence, without
/// constants.
std::vector<Scalar> non_negative_scalars(const Type& type);

}  // namespace sunmao
