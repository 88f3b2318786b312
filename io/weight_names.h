// Matches tensors to weights by name.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunmao::io {

struct WeightName {
  std::string_view identifier;  // name in the program
  std::string_view own;         // name in the model's file; empty when it equals the identifier
};

struct MatchedWeights {
  std::vector<std::optional<size_t>> tensor_of;  // per weight: index of its tensor
  std::vector<size_t> missing;                   // indices of weights without a tensor
  std::vector<size_t> unknown;                   // indices of tensors that match no weight
  std::vector<std::pair<size_t, size_t>> twice;  // pairs of tensors that match the same weight; the first one is used
};

/// Tensors match by a weight's own name or identifier. When a name is the own name of one weight and the identifier of
/// another, the kind of name that matches more tensors takes precedence; on a tie the own name does.
MatchedWeights match_weights(const std::vector<WeightName>& weights, const std::vector<std::string_view>& tensors);

/// Returns suggestions from `there` for the first 3 of `missing`, such as "`a`: did you mean `b`?", joined; empty when
/// none is similar.
std::string closest_names(const std::vector<std::string_view>& missing, const std::vector<std::string_view>& there);

}  // namespace sunmao::io
