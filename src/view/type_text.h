// Types as pages show them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ir/type.h"

namespace sunmao::view {

/// Returns a dtype in few characters: "f32", "i8".
std::string short_dtype(const DType& dtype);
/// Returns a type in few characters: "1×64×n f32", "2 tensors".
std::string short_type(const Type& type);
/// Returns the bytes of a tensor, or of the tensors of a tuple; nullopt where sizes are not known.
std::optional<uint64_t> bytes_of(const Type& type);

}  // namespace sunmao::view
