// What the processor at hand can do: the one table of features, by LLVM's names, that compiler and runtime ask.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::cpu {

/// True when instructions of the feature ("avx2", "avx512f", …) may be used: the processor has them and the operating
/// system saves their registers. False for unknown names.
bool has_feature(std::string_view name);

/// Returns the names that are not supported.
std::vector<std::string> missing_features(const std::vector<std::string>& names);

}  // namespace sunmao::cpu
