// Linking of object files to a code image, by LLD inside the process. The image must have no imports.
#pragma once
#include <llvm/ADT/SmallVector.h>

#include <cstddef>
#include <span>
#include <vector>

namespace sunmao::llvm_codegen {

using Object = llvm::SmallVector<char, 0>;

/// Links objects to a code image. Fails with E1005 when symbols are undefined, or E1007 when temporary files cannot be
/// made.
std::vector<std::byte> link_image(std::span<const Object> objects);

}  // namespace sunmao::llvm_codegen
