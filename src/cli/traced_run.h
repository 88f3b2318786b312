// Runs of traced models (compiler/model_diff.h), which return the values on the way to their results, and what they run
// on.
#pragma once
#include <memory>
#include <vector>

#include "cli/run_inputs.h"
#include "cli/runnable.h"
#include "compiler/model_diff.h"

namespace sunmao::cli {

/// The results of a model on inputs, then the values on the way to them.
struct Trace {
  std::vector<Array> results;
  std::vector<TracedValue> values;
};

/// Compiles a model for the host and loads it.
std::unique_ptr<Runnable> compiled(const Model& model);
/// Makes the inputs of a request. Where the model refuses made-up integers as indices or lengths, zeros replace them.
std::vector<HostTensor> inputs_that_run(Runnable& runnable, const InputRequest& request);
/// Runs `runnable`, which was made of `traced`.
Trace run_traced(Runnable& runnable, TracedModel&& traced, const std::vector<HostTensor>& inputs);

}  // namespace sunmao::cli
