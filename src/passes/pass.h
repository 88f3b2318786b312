// Pass: a pure function from module to module, with the name that the pipeline, the tests and the command line know.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eval/value.h"
#include "ir/module.h"
#include "support/target.h"

namespace sunmao {

/// Runs a function of a module while compiling. Tests inject the evaluator, the pipeline compiled code.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Value call(const Module& module, const std::string& function, const std::vector<Value>& args) const = 0;
};

/// The evaluator as an Executor. Where `is_cancelled` is set and says so, a call ends with WalkCancelled.
class EvaluatingExecutor final : public Executor {
 public:
  explicit EvaluatingExecutor(std::function<bool()> is_cancelled = {}) : is_cancelled_(std::move(is_cancelled)) {}
  Value call(const Module& module, const std::string& function, const std::vector<Value>& args) const override;

 private:
  const std::function<bool()> is_cancelled_;
};
const Executor& evaluating_executor();

struct PassContext {
  Target target;
  const Executor* executor = &evaluating_executor();
  /// Options by upstream's names, such as `relax.lift_transform_params.consume_params`.
  std::map<std::string, AttrValue> config = {};
  int opt_level = 2;
  /// What the pass that runs is given, by the names of its parameters; one that is absent has its default.
  AttrMap arguments = {};
  /// Told what users should know although nothing is wrong.
  std::function<void(const std::string& text)> on_notice = {};
  /// Set when somebody wants to know the reasons behind what the pass does: told of each, a line at a time.
  std::function<void(const std::string& line)> on_explain = {};
};

using PassFn = Module (*)(const Module&, const PassContext&);

/// A named argument of a pass, as in `convert-to-dataflow(min_size=3)`.
struct PassParam {
  const char* name;
  const char* doc;
  AttrValue default_value = {};
};

/// What a pass may do to the numbers that a module gives.
enum class Effect : uint8_t {
  Exact,
  Rounds,    // they are as near as rounding leaves them
  Reorders,  // by the laws of real numbers: what overflows may differ, too
  Infers,    // the same, of a module whose batch norms follow their moving averages
  Changes,   // they mean something else on purpose
};
const char* name_of(Effect effect);

enum class Fact : uint8_t;   // passes/facts.h
enum class Stage : uint8_t;  // ir/verify.h

/// The record of a pass. What it claims is checked: by the runner under --verify=each, by tests over many modules.
struct Pass {
  const char* name;              // "fold-constants"
  const char* summary;           // one line for help
  const char* compat_name = "";  // "FoldConstant", as upstream's relax.transform has it; "" when it has none
  PassFn run;
  std::vector<PassParam> params = {};
  bool explains = false;             // it has reasons to tell: `on_explain`
  std::vector<Fact> needs = {};      // of a module that it changes, beyond being well formed
  std::vector<Fact> ensures = {};    // of what it gives without arguments
  std::optional<Stage> breaks = {};  // the first stage that a module may lose by it; none: it keeps them
  Effect effect = Effect::Rounds;
  const char* second_run = "";                  // why running it twice is not running it once; "" when it is
  std::vector<const char*> commutes_with = {};  // passes with which the order does not matter

  bool is_idempotent() const { return !*second_run; }
};

/// Every pass that can be named, in the order of the pipeline.
const std::vector<Pass>& all_passes();
/// Null when there is none.
const Pass* find_pass(std::string_view name);

}  // namespace sunmao
