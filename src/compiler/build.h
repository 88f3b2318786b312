// Building of an artifact: kernels, bytecode and the archive, from a VmReady module.
#pragma once
#include "codegen/vm/program.h"
#include "compiler/options.h"
#include "io/bytes.h"

namespace sunmao {

io::Chunks build_artifact(const Module& module, const ProgramOptions& program, const CompileOptions& options);

}  // namespace sunmao
