// How a random module goes through the passes: what each is given, and how the results are then asked for.
#pragma once
#include "passes/pass_arguments.h"
#include "tests/random/random_module.h"

namespace sunmao {

/// What a run of passes may do to the results of a module.
enum class Effect : uint8_t {
  Exact,
  Rounds,    // they are as near as rounding leaves them
  Reorders,  // by the laws of real numbers: what overflows may differ, too
  Changes,   // they mean something else on purpose
};

/// Who hands over the weights and takes the results.
enum class Asked : uint8_t {
  Directly,    // `main` takes them and gives them
  Bound,       // the weights are in the module
  Bundled,     // one tuple of weights
  Prepared,    // its transforms make them, one after the other
  OneByOne,    // the same, where the transform calls for each raw one and hands over each prepared one
  FromGetter,  // `main` calls for them
  ToSetter,    // `main` hands over each result
};

struct PassRun {
  std::vector<PassCall> calls;
  Effect effect;
  Asked asked;

  /// The passes with their arguments, as the command line has them.
  std::string text() const;
};

/// Every pass alone, behind what it needs; lifting before and after others; and a few passes in an order drawn by
/// `seed`.
std::vector<PassRun> pass_runs(const RandomModule& m, uint64_t seed);

/// What the module computes, after a run, of the inputs of the module before it.
Value results_of(const Module& after, Asked asked, const RandomModule& before);

}  // namespace sunmao
