// Poison: taint tracking of selected arguments, which finds the work that does not depend on them. The taint of a
// call's result is the maximum of its arguments' taints, whatever the values: it propagates through comparisons,
// integers, shapes and kernels. Calls of module functions and closures are followed into their bodies; each field of a
// tuple has a taint of its own, and so has each range of bytes that kernels write. The result of a branch includes the
// taint of the condition; values computed in the branch do not. A symbol that several arguments of a function define
// has the lowest of their taints.
#pragma once
#include <string>
#include <vector>

#include "support/span.h"

namespace sunmao {

/// A call of an op, a kernel or a host function.
struct Work {
  std::string function;  // the graph-level function that contains the call
  std::string binding;   // the variable bound to the result; empty for a function's result expression
  std::string callee;    // name of the op, kernel or function
  Span span;
};

/// The taint observed at the calls of a run. Calls that compute nothing are omitted: tuple accesses and constructions,
/// closures, markers, memory operations, messages.
struct PoisonWatch {
  std::vector<size_t> poisoned;  // indices of the poisoned arguments
  /// Calls whose inputs depend on clean arguments and on no poisoned one, in the order of their first such execution. A
  /// call that runs several times is included if one execution is such.
  std::vector<Work> clean = {};
  std::vector<Work> constant = {};  // calls that depend on no argument in one execution at least
};

}  // namespace sunmao
