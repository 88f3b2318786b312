// Object files of ops in a code image: what they may hold, and how what they may not is reported (E1008).
#pragma once
#include <llvm/ADT/StringRef.h>

#include <set>
#include <span>
#include <string>

#include "codegen/kernels.h"

namespace sunmao::llvm_codegen {

[[noreturn]] void refuse_object(const std::string& name, const std::string& problem, const std::string& help);

/// Fails because of symbols that no image has.
[[noreturn]] void refuse_imports(std::span<const OpObject> objects, const std::set<std::string>& imports);

/// Fails because of what the linker says.
[[noreturn]] void refuse_link(std::span<const OpObject> objects, const std::string& messages);

/// Returns bytes as LLVM reads files.
llvm::StringRef text_of(std::span<const std::byte> bytes);

/// True when an image has dynamic relocations.
bool has_relocations(std::span<const std::byte> image);

}  // namespace sunmao::llvm_codegen
