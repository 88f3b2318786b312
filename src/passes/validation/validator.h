// Validator: translation validation. What the functions of a module give is compared before and after each pass, by the
// evaluator, on generated inputs; the first pass that changes a number is named.
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
  /// The model's own weights, by the names of the parameters that take them; others are made up.
  std::map<std::string, Array> weights = {};
  /// Asked before each call that a run makes; where it says yes, WalkCancelled is thrown.
  std::function<bool()> is_cancelled = {};
};

/// What validation has seen of one pass.
struct ValidatedPass {
  std::string pass;
  bool is_changed = false;              // it gave another module
  std::vector<std::string> same;        // functions that gave the same before and after
  std::vector<std::string> on_purpose;  // functions whose numbers the pass may change, with how far: "main: 0.01"
};

/// Follows a module through passes.
class Validator {
 public:
  explicit Validator(ValidationOptions options = {});
  ~Validator();
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;

  /// Fails (E0541) where a function that ran before gives something else after, or runs no more. Passes are checked in
  /// the order in which they ran.
  void check(const PassCall& call, const Module& before, const Module& after);

  const std::vector<ValidatedPass>& passes() const { return passes_; }
  /// Functions that no inputs were found for, or whose results cannot be asked for, each with the reason.
  const std::map<std::string, std::string>& not_validated() const { return not_validated_; }
  /// The report in lines.
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
