// Pass: a pure function from module to module, with the name by which the pipeline, the tests and the command line
// refer to it.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eval/value.h"
#include "ir/module.h"
#include "target/target.h"

namespace sunmao {

/// Runs functions of a module during compilation; `fold-constants` evaluates constant calls with it.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Value call(const Module& module, const std::string& function, const std::vector<Value>& args) const = 0;
};

/// The executor that runs functions in the evaluator. A call throws WalkCancelled when `is_cancelled` is set and
/// returns true.
class EvaluatingExecutor final : public Executor {
 public:
  explicit EvaluatingExecutor(std::function<bool()> is_cancelled = {}) : is_cancelled_(std::move(is_cancelled)) {}
  Value call(const Module& module, const std::string& function, const std::vector<Value>& args) const override;

 private:
  const std::function<bool()> is_cancelled_;
};
const Executor& evaluating_executor();

struct PassContext {
  Target target = Target::parse("x86-64-v2");
  const Executor* executor = &evaluating_executor();
  /// Configuration entries by upstream's names, such as `relax.lift_transform_params.consume_params`.
  std::map<std::string, AttrValue> config = {};
  int opt_level = 2;
  /// The arguments of the running pass by parameter name; an absent parameter has its default value.
  AttrMap arguments = {};
  /// Receives notices: remarks for the user that are not errors.
  std::function<void(const std::string& text)> on_notice = {};
  /// Receives the reasons behind the decisions of a pass, one line per call; unset when no explanation was asked for.
  std::function<void(const std::string& line)> on_explain = {};
};

using PassFn = Module (*)(const Module&, const PassContext&);

/// A named argument of a pass, as in `convert-to-dataflow(min_size=3)`.
struct PassParam {
  const char* name;
  const char* doc;
  AttrValue default_value = {};
};

/// How much a pass may change the numbers that a module computes.
enum class Effect : uint8_t {
  Exact,
  Rounds,    // equal up to rounding
  Reorders,  // equal in real arithmetic; what overflows on the way may differ
  Infers,    // unchanged when batch norms use their moving averages, as in inference
  Changes,   // different on purpose
};
const char* name_of(Effect effect);

enum class Fact : uint8_t;   // passes/facts.h
enum class Stage : uint8_t;  // ir/verify.h

/// The record of a pass. The runner under --verify=each and tests over many modules check its claims.
struct Pass {
  const char* name;     // "fold-constants"
  const char* summary;  // one line for help
  // name in upstream's relax.transform, such as "FoldConstant"; "" when upstream has no such pass
  const char* compat_name = "";
  PassFn run;
  std::vector<PassParam> params = {};
  bool explains = false;  // whether the pass calls `on_explain`
  // facts that must hold of the input of the pass, beyond well-formedness, whenever the pass changes it
  std::vector<Fact> needs = {};
  std::vector<Fact> ensures = {};  // facts that its output has when the pass runs without arguments
  // the lowest stage that the pass may invalidate: the output may not have this stage or a higher one although the
  // input had it; nullopt: the pass preserves every stage
  std::optional<Stage> breaks = {};
  Effect effect = Effect::Rounds;
  // why running the pass twice may differ from running it once; "" when the pass is idempotent
  const char* second_run = "";
  std::vector<const char*> commutes_with = {};  // passes that give the same result before and after this one

  bool is_idempotent() const { return !*second_run; }
};

/// All registered passes, in the order of the table in passes/pass_table.cpp, which is not the order of the pipeline.
const std::vector<Pass>& all_passes();
/// Returns null when no pass has the name.
const Pass* find_pass(std::string_view name);

}  // namespace sunmao
