// Serializes a program to the artifact format `model.sunmao` (docs/artifact.md): an archive of manifest, program, code
// and weights.
#pragma once
#include <span>
#include <string>

#include "codegen/artifact/artifact_sink.h"
#include "codegen/artifact/weight_source.h"
#include "codegen/kernels.h"
#include "codegen/vm/program.h"
#include "io/status.h"

namespace sunmao {

/// Writes the artifact, which is equal for equal inputs. Weights are written by reference to their data, or as
/// `prepared`, which may be null, gives them.
void write_artifact(const Program& program, std::span<const CodeImage> images, WeightSource* prepared,
                    ArtifactSink& sink);

/// Throws a failed status of io/ as a user error with its code, message and help.
void check(const io::Status& status);

}  // namespace sunmao
