// Caller: calls the same function before and after passes that change its signature, so that the results can be
// compared. It keeps the run-time inputs and the raw weights, and derives the arguments of each version from them.
#pragma once
#include <functional>
#include <map>

#include "eval/value.h"
#include "passes/pass_arguments.h"

namespace sunmao {

struct CallerValues {
  ValueTuple inputs, weights;
};

/// Fixed values of arguments, by parameter index.
using GivenArguments = std::map<size_t, Value>;

class Caller {
 public:
  /// Prepares calls of the graph-level function of `module` with this global symbol. Parameters from `num_input` on are
  /// weights; if the function has weight transforms, the raw weights are the parameters of the first transform.
  Caller(std::string symbol, const Module& module);

  const std::string& symbol() const { return symbol_; }
  /// Names and types of the values that the caller must supply: first `inputs` run-time inputs, then the weights.
  struct Signature {
    std::vector<std::string> names;
    std::vector<Type> types;
    size_t inputs = 0;
  };
  static Signature signature_of(const std::string& symbol, const Module& module);

  /// Adapts to the change of signature when pass `call` has transformed `before` into `after`.
  void follow(const PassCall& call, const Module& before, const Module& after);

  /// Calls the function of `module` and returns its result. When `converts_` is set, float arrays are cast to the
  /// dtypes of the parameters.
  Value results(const Module& module, const CallerValues& values, const GivenArguments& given = {}) const;
  /// Returns the values of the parameters that the pass replaces by constants, by parameter index in `before`.
  GivenArguments bound_by(const PassCall& call, const Module& before) const;

  /// Called before each call in an evaluation; a result of true cancels it.
  std::function<bool()> is_cancelled = {};

 private:
  // The steps, in order, that turn the kept inputs and weights into arguments and collect the results.
  enum class Step : uint8_t {
    Prepare,   // transforms turn raw weights into prepared weights
    OneByOne,  // like Prepare, with transforms that call a getter and a setter for each weight
    Itself,    // the function is itself such a transform
    Bundle,    // weights are bundled into one tuple
    Get,       // weights are replaced by a getter function
    GetAll,    // all arguments are replaced by a getter, because no `num_input` separates weights
    Set,       // results are received by a setter function
    Drop,      // arguments at the indices `dropped` are not passed
  };
  struct Taken {
    Step step;
    std::vector<size_t> dropped = {};
    std::string getter = {}, setter = {};
  };
  ValueTuple prepared(const Module& module, ValueTuple weights, const Taken& how) const;
  ValueTuple one_by_one(const Module& module, const std::string& name, ValueTuple weights, const Taken& how) const;
  bool has(Step step) const;

  std::string symbol_;
  std::vector<Taken> steps_;
  bool gives_tuple_ = false;  // true when the result was a tuple before the setter was introduced
  bool converts_ = false;
};

/// Returns the graph-level function with this global symbol, or null; stores its name, which may differ, in `name`.
Ref<Function> find_by_symbol(const std::string& symbol, const Module& module, std::string* name = nullptr);
/// Returns the symbols of functions to validate: all public ones except weight transforms.
std::vector<std::string> asked_functions(const Module& module);

}  // namespace sunmao
