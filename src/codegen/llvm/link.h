// Linking: an object file becomes a code image, by LLD inside this process. It checks that the image asks for nothing.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sunmao::llvm_codegen {

/// The symbols that an object needs from elsewhere.
std::vector<std::string> imports_of(std::span<const char> object);

/// E1005 when the object needs symbols from elsewhere.
std::vector<std::byte> link_image(std::span<const char> object);

}  // namespace sunmao::llvm_codegen
