// Outlining: moves bindings of a dataflow block into a function of their own.
#pragma once
#include <unordered_map>

#include "ir/module.h"

namespace sunmao {

struct OutlineOptions {
  /// Copies constants into the function; otherwise they are passed as arguments.
  bool bind_constants;
  /// The values that the caller's variables are bound to.
  const std::unordered_map<Ref<Var>, Expr>& values;
};

/// A function, and the arguments to call it with. `fields` are bindings that the call needs before it.
struct Outlined {
  Ref<Function> function;
  std::vector<Expr> args;
  std::vector<Binding> fields;
};

/// Returns a function that computes the bindings `members` and returns `outputs`, which they bind. Parameters are in
/// the order of first use. Constant shapes are copied into the function; of a tuple from outside that the members only
/// take fields of, the function takes these fields.
Outlined outline(const std::vector<Binding>& members, const std::vector<Ref<Var>>& outputs, Attrs attrs,
                 const OutlineOptions& options);

}  // namespace sunmao
