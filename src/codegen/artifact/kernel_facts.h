// The keys `kernels`, `calls` and `flops_on` of the manifest: what kernels and functions do and where calls come from,
// for reports.
#pragma once
#include "codegen/vm/program.h"
#include "io/json_writer.h"

namespace sunmao {

/// Writes the keys of the manifest's object (docs/artifact.md).
void write_kernel_facts(io::JsonWriter& manifest, const Program& program);

}  // namespace sunmao
