// ReductionSearch: the smallest model so far, and the test that a smaller one has to pass.
#pragma once
#include <functional>
#include <string>
#include <unordered_set>

#include "compiler/reduce_model.h"
#include "ir/verify.h"

namespace sunmao::reduction {

/// Thrown by `attempt` when the search is cancelled.
struct Stopped {};

class ReductionSearch {
 public:
  ReductionSearch(Model model, const ReduceOptions& options);

  const Model& best() const { return best_; }
  /// True when the candidate is well formed, is no other one that was tried, and fails in the same way; it is the best
  /// one then. `make` may throw UserError or NoCandidate: there is no such candidate.
  bool attempt(const std::function<Model()>& make);
  /// The same for another module, whose weights are those of the best model, in the sizes that its parameters have.
  bool attempt_module(const std::function<Module()>& make);
  /// The same for a module with another function in place of the one of that name.
  bool attempt_function(const std::string& name, const std::function<Ref<BaseFunc>()>& make);
  /// The same for a module whose callers call `root` alone.
  bool attempt_root(const std::string& root, const std::function<Module()>& make);

  void begin_step(std::string name);
  size_t tries() const { return tries_; }
  size_t accepted() const { return accepted_; }
  /// The names of functions that callers outside of the module call, whose signature may change.
  const std::unordered_set<std::string>& roots() const { return roots_; }

 private:
  void tell() const;
  Module without_unreachable(const Module& module) const;

  Model best_;
  const ReduceOptions& options_;
  Stage stage_;
  std::unordered_set<std::string> roots_;
  std::unordered_set<uint64_t> tried_;
  std::string step_;
  size_t tries_ = 0, accepted_ = 0;
};

/// The steps of a reduction. Each makes the best model smaller while it fails in the same way.

/// Weights become inputs or constants, expressions are brought to normal form, private functions are inlined.
void simplify_forms(ReductionSearch& search);
/// Leaves out functions that callers call, and makes a called function the only one.
void drop_functions(ReductionSearch& search);
/// Leaves out bindings, whose values become parameters; then results.
void cut_bindings(ReductionSearch& search);
/// Replaces calls by an argument of the same type, and branches by one of their ways.
void bypass_calls(ReductionSearch& search);
/// Replaces symbolic sizes by constants, and large sizes by small ones, everywhere.
void shrink_sizes(ReductionSearch& search);
/// Constants become inputs, zeros or ones; attributes get their defaults.
void simplify_values(ReductionSearch& search);
/// Leaves out statements of loop-level functions and turns loops into one iteration.
void simplify_loops(ReductionSearch& search);

/// The names of graph-level functions, those that callers call first.
std::vector<std::string> graph_functions(const ReductionSearch& search);

}  // namespace sunmao::reduction
