// Analysis: calls that return a distinct value each time (random or newly allocated), so that two equal calls must not
// be merged into one.
#pragma once
#include <string>
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// Finds such calls: of ops that draw random numbers or allocate their result, of functions of the host that give an
/// object, of module functions that contain such a call or refer to a function that does, and of functions that are
/// unknown at the call.
class DistinctValues {
 public:
  /// Analyses all functions of the module, in time linear in its size.
  explicit DistinctValues(const Module& module);
  /// True if `e` contains a call that returns a distinct value each time, or refers to a module function that does.
  /// `plain` are variables bound to local functions without such calls.
  bool are_made_by(const Expr& e, const std::unordered_set<Ref<Var>>& plain) const;

 private:
  std::unordered_set<std::string> functions_;
};

}  // namespace sunmao
