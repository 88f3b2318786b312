// Poison: a run that follows what is computed from chosen arguments, and so finds the work that does not need them.
//
// Followed is who reads what, not what comes out: a result has seen all that its call was given, through comparisons,
// integers, shapes and kernels; a size read from a poisoned tensor is poisoned, known or not. Functions of the module,
// closures and tuples are followed inside, field by field, and memory that kernels write byte by byte. The result of a
// branch has seen the condition; what the branch itself computes has not. A symbol that several arguments of a function
// say comes from the one that has seen least.
#pragma once
#include <string>
#include <vector>

#include "support/span.h"

namespace sunmao {

/// A call of an op, of a kernel or of a function of the host.
struct Work {
  std::string function;  // the function of the graph level that makes it
  std::string binding;   // the variable that holds the result; empty where it is what the function returns
  std::string callee;    // an op by its name, a kernel or a function by its own
  Span span;
};

/// What the calls of a run saw of its arguments. Calls that compute nothing are left out: taking tuples apart and
/// putting them together, closures, marks, memory, messages.
struct PoisonWatch {
  std::vector<size_t> poisoned;  // which arguments are
  /// Filled by the run, each call once, in the order of their first run. A call that runs several times is here when it
  /// saw no poison in one of them.
  std::vector<Work> clean = {};
  std::vector<Work> constant = {};  // the same for calls that saw no argument at all
};

}  // namespace sunmao
