// Caller: how results are asked of a function after passes have changed what it takes and gives. What the caller holds
// stays the same: run-time inputs, and the raw weights.
#pragma once
#include <functional>
#include <map>

#include "eval/value.h"
#include "passes/pass_arguments.h"

namespace sunmao {

struct CallerValues {
  ValueTuple inputs, weights;
};

/// Values in the place of arguments, by their place.
using GivenArguments = std::map<size_t, Value>;

class Caller {
 public:
  /// Of a graph-level function of `module`, by its global symbol. Parameters behind `num_input` are weights; where the
  /// function has transforms, the raw weights are what the first of them takes.
  Caller(std::string symbol, const Module& module);

  const std::string& symbol() const { return symbol_; }
  /// The types of what the caller holds, by name. Weights that `names` tells apart come last.
  struct Signature {
    std::vector<std::string> names;
    std::vector<Type> types;
    size_t inputs = 0;
  };
  static Signature signature_of(const std::string& symbol, const Module& module);

  /// From here on the function is asked as it stands in `after`, which the pass has made of `before`.
  void follow(const PassCall& call, const Module& before, const Module& after);

  /// What the function of `module` gives. Of values that are floats of another dtype than the parameter's, copies are
  /// cast when `converts`.
  Value results(const Module& module, const CallerValues& values, const GivenArguments& given = {}) const;
  /// The arguments that a pass binds to values, at their places in what `before` takes.
  GivenArguments bound_by(const PassCall& call, const Module& before) const;

  /// Asked before each call that a run makes.
  std::function<bool()> is_cancelled = {};

 private:
  // How the arguments come about, one step behind the other.
  enum class Step : uint8_t {
    Prepare,   // the transforms make weights of weights
    OneByOne,  // the same, where a transform calls for each weight and hands over each one
    Itself,    // the function is such a transform
    Bundle,    // weights become one tuple
    Get,       // a function that gives weights takes their place
    GetAll,    // the same of all arguments: nothing says which ones are inputs
    Set,       // a function takes each result
    Drop,      // arguments at `dropped` are not handed over
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
  bool gives_tuple_ = false;  // before results were handed over one by one
  bool converts_ = false;
};

/// The graph-level function with this global symbol, or null. Its name may be another one.
Ref<Function> find_by_symbol(const std::string& symbol, const Module& module, std::string* name = nullptr);
/// The symbols of the functions that a caller asks: transforms of weights aside.
std::vector<std::string> asked_functions(const Module& module);

}  // namespace sunmao
