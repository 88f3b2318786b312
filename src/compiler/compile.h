// Compilation of a model to an artifact.
#pragma once
#include "compiler/growth.h"
#include "compiler/options.h"
#include "io/bytes.h"
#include "ir/module.h"

namespace sunmao {

/// How many ops of graph-level functions there are at points of the pipeline.
struct OpCounts {
  size_t read = 0;        // in the model
  size_t on_weights = 0;  // of what is left before kernels are made: on weights alone, which are done beforehand
  size_t run = 0;         // and the others
  std::map<std::string, size_t> dtypes = {};  // of the results of those
};

struct Compiled {
  io::Bytes artifact;  // model.sunmao, aligned to 64 bytes; empty when it was written to a file
  Module module;       // the final module, from which bytecode and kernels were generated
  std::vector<PassTiming> timings;
  Growth growth;  // of the weights
  OpCounts ops;
  std::vector<std::string> notices;  // of passes, where the runner's options have no receiver for them
};

/// Compiles the model. Fails with the violations when it is ill-formed, when weights are missing or do not fit
/// (E0520, E0521), and when the model cannot be compiled.
Compiled compile(const Model& model, const CompileOptions& options);

/// Runs only the passes of the pipeline, for `sunmao opt` and `--stop-after`.
RunReport run_pipeline(const Model& model, const CompileOptions& options);

}  // namespace sunmao
