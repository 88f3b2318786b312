// The machine code of a shared object's own functions, as an object file.
#pragma once
#include <span>

#include "codegen/llvm/link.h"
#include "codegen/shared_object.h"

namespace sunmao::llvm_codegen {

/// The symbol of the artifact's first byte.
inline constexpr const char* kArtifactBytes = "sunmao_object_artifact_bytes";

/// Returns an object that defines both forms of the functions, and says where the artifact is, which has `size` bytes.
Object object_functions(std::span<const ObjectFunction> functions, uint64_t size);

}  // namespace sunmao::llvm_codegen
