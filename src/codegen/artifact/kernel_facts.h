// The keys `kernels` and `calls` of the manifest: what kernels do and where their calls come from, for reports.
#pragma once
#include "codegen/vm/program.h"
#include "io/json_writer.h"

namespace sunmao {

/// Writes both keys of the manifest's object (docs/artifact.md).
void write_kernel_facts(io::JsonWriter& manifest, const Program& program);

}  // namespace sunmao
