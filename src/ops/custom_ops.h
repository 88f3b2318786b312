// Custom ops: ops that a program registers at run time, beside those of the library. An op record is immutable once
// made; the behaviour of a custom op is looked up by name at each call, so that a program may redefine it.
#pragma once
#include <functional>
#include <memory>

#include "ir/op.h"

namespace sunmao {

/// The definition of a custom op. It takes any number of expressions.
struct CustomOp {
  std::string name;  // without `relax.`
  // Whether the op is pure, and whether it allocates; absent: as in the existing record of the op, or false when there
  // is none.
  std::optional<bool> is_pure = {}, allocates = {};
  std::function<Type(const InferInput&)> infer;
  /// Rewrites the call to the normal form that passes rely on; returns the same node when it already has that form. May
  /// be empty.
  std::function<Expr(const Call&)> normalize = {};
  /// Fails with a UserError for a call that is ill-formed. May be empty.
  std::function<void(const Call&)> validate = {};
};

/// Registers the op or redefines it. E0034 when the library has an op of this name, or when the op is already in use
/// and its record has another `is_pure` or `allocates`.
void set_custom_op(CustomOp op);
/// Unregisters the op: calls of it can no longer be made. Does nothing when it is not registered.
void remove_custom_op(const std::string& name);
/// Returns the current definition of a custom op; null when there is none.
std::shared_ptr<const CustomOp> find_custom_op(std::string_view name);

/// Returns the ops of the library and the custom ops registered so far; those removed since may still be in it.
std::shared_ptr<const OpTable> known_ops();

/// Returns the call as normalised by its custom op; the call itself for ops of the library.
Expr normal_custom_call(const Ref<Call>& call);

}  // namespace sunmao
