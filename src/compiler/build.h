// Building of an artifact: kernels, bytecode and the archive, from a VmReady module.
#pragma once
#include "codegen/vm/program.h"
#include "compiler/options.h"
#include "io/bytes.h"

namespace sunmao {

/// Returns `program` with the functions that bytecode cannot express added to `walked`, and those that call functions
/// of the host: objects that these pass through a walk stay the same objects.
ProgramOptions with_walked(const Module& module, ProgramOptions program);

io::Chunks build_artifact(const Module& module, const ProgramOptions& program, const CompileOptions& options);

}  // namespace sunmao
