// Analysis: calls that give a value of their own each time, so that two equal ones must not become one.
#pragma once
#include <string>
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// Calls of ops that draw random numbers or allocate what they return, of functions of the module that contain such a
/// call or refer to a function that does, and of functions that are unknown where they are called.
class DistinctValues {
 public:
  /// Takes time linear in the size of the module.
  explicit DistinctValues(const Module& module);
  /// True if `e` contains a call that gives a value of its own each time, or refers to a function of the module that
  /// does. `plain` are variables bound to local functions without such calls.
  bool are_made_by(const Expr& e, const std::unordered_set<Ref<Var>>& plain) const;

 private:
  std::unordered_set<std::string> functions_;
};

}  // namespace sunmao
