// Ops that a program adds while it runs, beside those of the library. A record, once made, is as immutable as any; what
// its op does is looked up by name at each call, so that a program may say it anew.
#pragma once
#include <functional>
#include <memory>

#include "ir/op.h"

namespace sunmao {

/// What a program says of an op of its own. It takes any number of expressions.
struct CustomOp {
  std::string name;                  // without `relax.`
  std::optional<bool> is_pure = {};  // not said: impure, or as it was
  std::function<Type(const InferInput&)> infer;
  /// The call in the form that passes rely on; the same node when it is so. May be empty.
  std::function<Expr(const Call&)> normalize = {};
  /// Fails with a UserError for a call that is not well formed. May be empty.
  std::function<void(const Call&)> validate = {};
};

/// Adds the op, or says anew what it does. E0034 when the library has an op of this name, or when programs have seen
/// the op with another purity.
void set_custom_op(CustomOp op);
/// From here on, calls of the op cannot be made. Does nothing when there is none.
void remove_custom_op(const std::string& name);
/// What it says of the op now; null when it says nothing.
std::shared_ptr<const CustomOp> find_custom_op(std::string_view name);

/// The library's ops and those that programs have added so far.
std::shared_ptr<const OpTable> known_ops();

/// The call as the op that it calls wants it; itself where the library has the op.
Expr normal_custom_call(const Ref<Call>& call);

}  // namespace sunmao
