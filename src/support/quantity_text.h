// Quantities for people.
#pragma once
#include <cstdint>
#include <string>

namespace sunmao {

/// Returns text such as "271.4 KB", in units of 1000.
std::string bytes_text(uint64_t bytes);

}  // namespace sunmao
