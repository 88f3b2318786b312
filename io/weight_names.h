// Weights by name: which of the tensors that somebody gives is which weight.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunmao::io {

struct WeightName {
  std::string_view identifier;  // in scripts
  std::string_view own;         // in the model's file; empty where it is the identifier
};

struct MatchedWeights {
  std::vector<std::optional<size_t>> tensor_of;  // of each weight
  std::vector<size_t> missing;                   // weights without a tensor
  std::vector<size_t> unknown;                   // tensors that are no weight
  std::vector<std::pair<size_t, size_t>> twice;  // tensors that are the same weight; the first one counts
};

/// Own names and identifiers both work. A tensor whose name is the own name of one weight and the identifier of another
/// is whichever more of the tensors agree with; in doubt, the own name counts.
MatchedWeights match_weights(const std::vector<WeightName>& weights, const std::vector<std::string_view>& tensors);

/// For each of `missing`, the closest of `there`: "`a`: did you mean `b`?", joined; empty when none is close.
std::string closest_names(const std::vector<std::string_view>& missing, const std::vector<std::string_view>& there);

}  // namespace sunmao::io
