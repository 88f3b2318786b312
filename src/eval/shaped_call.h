// A call of an op as it is computed: on variables of the shapes that its values have, and only when the sizes agree
// that inference took to be equal.
#pragma once
#include "eval/environment.h"
#include "ir/size_demands.h"

namespace sunmao {

/// What calls demand of sizes, asked once for each.
using AgreedCalls = std::unordered_map<Ref<Call>, AgreedCall>;

class ShapedCall {
 public:
  /// `args` are the values of the call's arguments. E0905 when sizes do not agree.
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
  std::vector<Ref<Var>> held_;  // what stands for arguments, as long as this call is computed
};

}  // namespace sunmao
