// Validator: translation validation. Evaluates the functions of a module before and after each pass on generated
// inputs, compares the results, and reports the first pass that changes them.
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
  /// Weights of the model by parameter name; weights that are not listed are generated.
  std::map<std::string, Array> weights = {};
  /// Called before each call in an evaluation; when it returns true, WalkCancelled is thrown.
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

  /// Validates one pass; must be called for each pass in order. Fails (E0541) when a function that ran before the pass
  /// fails after it, or when its result differs by more than the declared effect of the pass allows.
  void check(const PassCall& call, const Module& before, const Module& after);

  const std::vector<ValidatedPass>& passes() const { return passes_; }
  /// Returns the functions that are not validated, with the reason: none of the generated inputs is accepted, or the
  /// result cannot be computed.
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
