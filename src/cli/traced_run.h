// Runs of traced models (compiler/model_diff.h), which return the values on the way to their results, and what they run
// on.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "cli/run_inputs.h"
#include "cli/runnable.h"
#include "compiler/model_diff.h"
#include "compiler/options.h"

namespace sunmao::cli {

/// The results of a model on inputs, then the values on the way to them.
struct Trace {
  std::vector<Array> results;
  std::vector<TracedValue> values;
};

/// Compiles a model and loads it.
std::unique_ptr<Runnable> compiled(const Model& model, const CompileOptions& options = {});
/// Makes the inputs of a request. Where the model refuses made-up integers as indices or lengths, zeros replace them.
std::vector<HostTensor> inputs_that_run(Runnable& runnable, const InputRequest& request);
/// Runs two models on the same inputs, which are made for the first. Fails (E0537) when they take unlike numbers of
/// inputs.
std::pair<Trace, Trace> run_both(const Model& a, const Model& b, const InputRequest& request);

}  // namespace sunmao::cli
