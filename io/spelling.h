// Suggestions of similar names, for help lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::io {

/// Returns the optimal string alignment distance: the least number of insertions, deletions, replacements and swaps of
/// neighbours that turn `a` into `b` when no part is edited twice.
int edit_distance(std::string_view a, std::string_view b);
/// Returns "did you mean `x`, `y`?" with up to three similar candidates; empty when there are none. Names longer than
/// 64 bytes are not compared.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sunmao::io
