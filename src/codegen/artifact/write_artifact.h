// Serializes a program to the artifact format `model.sunmao` (docs/artifact.md): an archive of manifest, program, code
// and weights.
#pragma once
#include <span>
#include <string>

#include "codegen/kernels.h"
#include "codegen/vm/program.h"
#include "io/bytes.h"
#include "io/status.h"

namespace sunmao {

/// Returns the bytes of the artifact, which are equal for equal inputs. The chunks refer to the weights without copying
/// them.
io::Chunks write_artifact(const Program& program, std::span<const CodeImage> images);

/// Throws a failed status of io/ as a user error with its code, message and help.
void check(const io::Status& status);

}  // namespace sunmao
