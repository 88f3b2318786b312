// Partitioning: outlines pattern matches into functions for a backend.
#pragma once
#include <functional>

#include "ir/module.h"
#include "passes/pattern/matcher.h"

namespace sunmao {

/// A match before it is outlined.
struct PartitionMatch {
  /// The matched expressions: bound values for computations, variables for the pattern's open inputs.
  const Matches& found;
  Expr value;
  /// The bindings that would be moved to the function, in order.
  const std::vector<Binding>& members;
  const Function& function;
};

struct PartitionPattern {
  /// The function's attribute `Composite`, of the form `backend.name`.
  std::string name;
  Ref<Pattern> pattern;
  /// Returns further attributes of the function; nullopt rejects the match.
  std::function<std::optional<AttrMap>(const PartitionMatch&)> accept;
};

struct PartitionOptions {
  /// Copies constants into the functions; otherwise they are passed as arguments.
  bool bind_constants = true;
  /// Wraps each function in one that carries `Codegen`, the backend's name, and a `global_symbol`.
  bool annotate_codegen = false;
  /// Restricts partitioning to these functions and those reachable from them; empty: all functions.
  std::vector<std::string> entry_functions = {};
};

/// Replaces matches in dataflow blocks, later bindings first, by calls of functions that carry `Composite`, or of
/// wrappers of these. Earlier patterns take precedence. Functions that carry `Composite`, `Codegen` or `Primitive` are
/// not partitioned. Returns the same module when nothing matches; fails (E0526) when a match depends on its own
/// results.
Module partition(const Module& module, const std::vector<PartitionPattern>& patterns, const PartitionOptions& options);

}  // namespace sunmao
