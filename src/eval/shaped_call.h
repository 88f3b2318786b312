// The call of an op in which tensors of unknown shape and nested calls are replaced by variables that hold their
// values, after checking the relations between sizes that type inference assumed.
#pragma once
#include "eval/environment.h"
#include "ir/size_demands.h"

namespace sunmao {

/// Cached relations between sizes, by call.
using AgreedCalls = std::unordered_map<Ref<Call>, AgreedCall>;

class ShapedCall {
 public:
  /// `args` are the values of the call's arguments. Fails (E0905) when sizes do not satisfy a relation.
  ShapedCall(const Call& call, const ValueTuple& args, Environment& environment, AgreedCalls& known);
  ~ShapedCall();
  ShapedCall(const ShapedCall&) = delete;
  ShapedCall& operator=(const ShapedCall&) = delete;

  const Call& call() const { return *call_; }

 private:
  Expr variable_for(const Expr& arg, const Value& value);
  void hold(const Ref<Var>& var, Value value);
  void check(const AgreedCall& agreed, const Call& original, const ValueTuple& args);

  Environment& environment_;
  Ref<Call> call_;
  std::vector<Ref<Var>> held_;  // temporary variables for arguments, removed by the destructor
};

}  // namespace sunmao
