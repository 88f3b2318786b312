// Linking of object files to a code image, by LLD inside the process. The image must have no imports.
#pragma once
#include <llvm/ADT/SmallVector.h>

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codegen/kernels.h"

namespace sunmao::llvm_codegen {

using Object = llvm::SmallVector<char, 0>;

/// Returns the symbols that the objects use and none of them defines.
std::set<std::string> imports_of(std::span<const OpObject> objects);

/// Links objects to a code image, with object files of ops. Fails with E1005 when symbols of `objects` are undefined,
/// E1007 when temporary files cannot be made, or E1008 when the object files of ops need what no image has.
std::vector<std::byte> link_image(std::span<const Object> objects, std::span<const OpObject> ops);

}  // namespace sunmao::llvm_codegen
