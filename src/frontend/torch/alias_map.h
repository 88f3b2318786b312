// AliasMap: the tensors of a program by number, and which of them share memory, so that a write to one of them gives
// the others new values.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/expr.h"

namespace sunmao::torch {

class AliasMap {
 public:
  using Id = size_t;
  /// How a view is computed from the tensor that it is a view of, and that one from a new value of the view.
  struct View {
    std::function<Expr()> read;
    std::function<Expr(const Expr& whole, const Expr& part)> write;
  };

  /// Adds a tensor with memory of its own; null when its node could not be read, for the reason `problem`, which is
  /// empty when it is reported already.
  Id add(Expr value, std::string problem = {});
  /// Adds a view of a tensor, whose value is `value` now.
  Id add_view(Id whole, Expr value, View view);

  /// Returns the value of a tensor after all writes so far; null when it could not be read.
  Expr read(Id id);
  const std::string& problem(Id id) const { return tensors_[id].problem; }
  /// Gives a tensor a new value, and all that share its memory.
  void write(Id id, Expr value);
  bool is_written(Id id) const { return tensors_[id].version > 0; }

 private:
  static constexpr Id kNone = static_cast<Id>(-1);
  struct Tensor {
    Expr value;
    std::string problem;
    Id whole = kNone;
    View view;
    uint64_t version = 0;           // counts changes of `value`
    uint64_t version_of_whole = 0;  // for which `value` was computed
  };
  std::vector<Tensor> tensors_;
};

}  // namespace sunmao::torch
