// Writes `model.sunmao` (docs/artifact.md): manifest, program, code and weights in one archive of aligned entries.
#pragma once
#include <span>
#include <string>

#include "codegen/kernels.h"
#include "codegen/vm/program.h"
#include "io/bytes.h"
#include "io/status.h"

namespace sunmao {

/// Deterministic: the same program, images and weights give the same bytes. Weights are in the chunks by reference.
io::Chunks write_artifact(const Program& program, std::span<const CodeImage> images);

/// Turns a failed status of io/ into a user error with its code, message and help.
void check(const io::Status& status);

}  // namespace sunmao
