// LastUses: the last use of each variable, after which its value can be released.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// For each binding of a sequence: the variables whose last use it is, and its own variable when that is never used.
using EndsOfBindings = std::vector<std::vector<const Var*>>;

class LastUses {
 public:
  /// Returns the ends of the variables bound in `seq`, and of those in `outer`, which must not be used after it.
  /// Variables used by the result are excluded. A sequence must always be passed with the same `outer`, because results
  /// are cached.
  const EndsOfBindings& of(const SeqExpr& seq, std::span<const Ref<Var>> outer);

 private:
  std::unordered_map<const SeqExpr*, EndsOfBindings> known_;
};

}  // namespace sunmao
