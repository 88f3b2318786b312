// Pass: a pure function from module to module, with the name that the pipeline, the tests and the command line know.
#pragma once
#include <functional>
#include <map>
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

/// The evaluator as an Executor.
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

struct Pass {
  const char* name;         // "fold-constants"
  const char* summary;      // one line for help
  const char* compat_name;  // "FoldConstant", as upstream's relax.transform has it; "" when it has none
  PassFn run;
  bool is_idempotent = true;  // run twice is run once; the runner checks it under --verify=each
  std::vector<PassParam> params = {};
  bool explains = false;  // it has reasons to tell: `on_explain`
};

/// Every pass that can be named, in the order of the pipeline.
const std::vector<Pass>& all_passes();
/// Null when there is none.
const Pass* find_pass(std::string_view name);

}  // namespace sunmao
