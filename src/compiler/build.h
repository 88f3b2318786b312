// Building of an artifact: kernels, bytecode and the archive, from a VmReady module.
#pragma once
#include "codegen/artifact/artifact_sink.h"
#include "codegen/artifact/weight_source.h"
#include "codegen/vm/program.h"
#include "compiler/options.h"

namespace sunmao {

/// Writes the artifact to `sink`. `prepared`, which may be null, gives the weights that are prepared meanwhile.
void build_artifact(const Module& module, const ProgramOptions& program, const CompileOptions& options,
                    WeightSource* prepared, ArtifactSink& sink);

/// Returns an artifact whose weights the program has.
io::Bytes build_in_memory(const Module& module, const ProgramOptions& program, const CompileOptions& options);

}  // namespace sunmao
