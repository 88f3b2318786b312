// Linking of an object file to a code image, by LLD inside the process. The image must have no imports.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sunmao::llvm_codegen {

/// Returns the undefined symbols of an object, except the global offset table.
std::vector<std::string> imports_of(std::span<const char> object);

/// Links an object to a code image. Fails with E1005 when it has undefined symbols, or E1007 when temporary files
/// cannot be made.
std::vector<std::byte> link_image(std::span<const char> object);

}  // namespace sunmao::llvm_codegen
