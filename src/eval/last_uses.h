// LastUses: behind which binding a variable is read no more, so that its value can go.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// For each binding of a sequence, in order: the variables that it is the last to read, or that nothing reads.
using EndsOfBindings = std::vector<std::vector<const Var*>>;

class LastUses {
 public:
  /// Of the variables that `seq` binds, and of `outer`, which nothing reads behind it. What its result reads does not
  /// end. The same sequence always comes with the same `outer`.
  const EndsOfBindings& of(const SeqExpr& seq, std::span<const Ref<Var>> outer);

 private:
  std::unordered_map<const SeqExpr*, EndsOfBindings> known_;
};

}  // namespace sunmao
