// The runtime as one relocatable object file, which shared objects of models are linked with.
#pragma once
#include <cstddef>
#include <span>

namespace sunmao {

/// Returns the object, which is part of the compiler; empty in builds that have none, such as those with sanitizers.
std::span<const std::byte> runtime_object();

}  // namespace sunmao
