// CPU feature detection: what the processor and the operating system support, by the names that compilers use.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::runtime {

/// True when instructions of the feature ("avx2", "avx512f", …) may be used: the processor has them and the operating
/// system saves their registers. False for unknown names.
bool has_cpu_feature(std::string_view name);

/// Returns the names that are not supported.
std::vector<std::string> missing_cpu_features(const std::vector<std::string>& names);

}  // namespace sunmao::runtime
