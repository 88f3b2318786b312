// Linking of an object file to a code image, by LLD inside the process. The image must have no imports.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sunmao::llvm_codegen {

/// Returns the undefined symbols of an object.
std::vector<std::string> imports_of(std::span<const char> object);

/// Fails with E1005 when the object has undefined symbols, or E1007 when temporary files cannot be made.
std::vector<std::byte> link_image(std::span<const char> object);

}  // namespace sunmao::llvm_codegen
