// Partitioning by patterns: what a pattern matches becomes a function of its own, for a backend to take over.
#pragma once
#include <functional>

#include "ir/module.h"
#include "passes/pattern/matcher.h"

namespace sunmao {

/// One match, before it is taken.
struct PartitionMatch {
  /// What the parts of the pattern stand for: computations as they are, and variables that the pattern leaves open.
  const Matches& found;
  Expr value;
  /// The bindings that would become the function, in their order.
  const std::vector<Binding>& members;
  const Function& function;
};

struct PartitionPattern {
  /// `backend.what`: the attribute `Composite` of the functions.
  std::string name;
  Ref<Pattern> pattern;
  /// Further attributes of the function; nothing declines the match.
  std::function<std::optional<AttrMap>(const PartitionMatch&)> accept;
};

struct PartitionOptions {
  /// Constants go into the functions; otherwise they are arguments.
  bool bind_constants = true;
  /// Each function stands in one that carries `Codegen`, the backend's name, and a `global_symbol`.
  bool annotate_codegen = false;
  /// Only these functions and what they call; empty: all.
  std::vector<std::string> entry_functions = {};
};

/// Replaces what the patterns match in dataflow blocks, later bindings first, by calls of functions that carry
/// `Composite` and `Primitive`; of two patterns the earlier one has precedence. Functions that carry `Composite`,
/// `Codegen` or `Primitive` stay. The same module when nothing matches. E0526 when a function would need what is
/// computed from its own results.
Module partition(const Module& module, const std::vector<PartitionPattern>& patterns, const PartitionOptions& options);

}  // namespace sunmao
