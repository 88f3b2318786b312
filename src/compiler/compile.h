// Compiling: a model becomes an artifact.
#pragma once
#include "compiler/options.h"
#include "io/bytes.h"
#include "ir/module.h"

namespace sunmao {

struct Compiled {
  io::Chunks artifact;  // the bytes of model.sunmao; weights in it are shared with the model's
  Module module;        // as bytecode and kernels were made of it
  std::vector<PassTiming> timings;
  std::set<std::string> walked;  // entries that are not in the artifact's bytecode; their kernels are in it
};

/// Fails with all findings when the model is ill-formed, when weights are missing or do not fit (E0520, E0521), or when
/// something in it cannot be compiled.
Compiled compile(const Model& model, const CompileOptions& options);

/// The passes of the pipeline alone, as `sunmao opt` and `--stop-after` show them.
RunReport run_pipeline(const Model& model, const CompileOptions& options);

}  // namespace sunmao
