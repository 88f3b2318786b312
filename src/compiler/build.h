// Building: a VmReady module becomes kernels, bytecode and the bytes of an artifact.
#pragma once
#include "codegen/vm/program.h"
#include "compiler/options.h"
#include "io/bytes.h"

namespace sunmao {

/// Which functions make the artifact, when those that bytecode cannot express are left to a walk of the graph level.
ProgramOptions with_walked(const Module& module, ProgramOptions program);

io::Chunks build_artifact(const Module& module, const ProgramOptions& program, const CompileOptions& options);

}  // namespace sunmao
