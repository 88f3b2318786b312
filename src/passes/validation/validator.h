// Validator: translation validation. Compares the results of a module's functions before and after each pass, computed
// by the evaluator on generated inputs, and reports the first pass that changes them.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "passes/validation/caller.h"

namespace sunmao {

struct ValidationOptions {
  uint64_t seed = 0;
  /// Weights of the model by parameter name; missing ones are generated.
  std::map<std::string, Array> weights = {};
  /// Called before each call during a run; WalkCancelled is thrown when it returns true.
  std::function<bool()> is_cancelled = {};
};

/// The validation result of one pass.
struct ValidatedPass {
  std::string pass;
  bool is_changed = false;        // the pass changed the module
  std::vector<std::string> same;  // functions with equal results before and after
  // functions whose results a pass of Effect::Changes changed, with the largest difference: "main: 0.01"
  std::vector<std::string> on_purpose;
};

/// Validates a sequence of passes on a module.
class Validator {
 public:
  explicit Validator(ValidationOptions options = {});
  ~Validator();
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;

  /// Fails (E0541) when a function that ran before the pass fails to run after it, or gives a result that differs by
  /// more than the pass's effect allows. Must be called for each pass in order.
  void check(const PassCall& call, const Module& before, const Module& after);

  const std::vector<ValidatedPass>& passes() const { return passes_; }
  /// Functions without accepted inputs, or whose results cannot be computed, with the reason.
  const std::map<std::string, std::string>& not_validated() const { return not_validated_; }
  /// Returns the report, one line per entry.
  std::vector<std::string> summary() const;

 private:
  struct Watched;
  void watch(const std::string& symbol, const Module& module);
  void find_inputs(Watched& watched, const Module& module);
  static std::optional<Value> inferred(const Watched& watched, const Module& before);
  void drop_new_transforms(const PassCall& call, const Module& after);
  void bind_sizes(const PassCall& call, const Module& before, const Module& after);
  void check_function(Watched& watched, const PassCall& call, const Module& before, const Module& after,
                      ValidatedPass& seen);

  const ValidationOptions options_;
  std::map<std::string, std::unique_ptr<Watched>> watched_;  // by global symbol
  std::vector<ValidatedPass> passes_;
  std::map<std::string, std::string> not_validated_;
  std::vector<std::string> notes_;
};

}  // namespace sunmao
