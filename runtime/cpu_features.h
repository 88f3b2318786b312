// What the processor at hand and its operating system can do, by the names that compilers use.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::runtime {

/// True when instructions of this feature ("avx2", "avx512f", …) may be used: the processor has them and the system
/// saves their registers. False for names that are not known.
bool has_cpu_feature(std::string_view name);

/// Those of `names` that are missing.
std::vector<std::string> missing_cpu_features(const std::vector<std::string>& names);

}  // namespace sunmao::runtime
