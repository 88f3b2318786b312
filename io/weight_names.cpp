#include "io/weight_names.h"

#include <algorithm>
#include <map>

#include "io/concat.h"
#include "io/spelling.h"

namespace sunmao::io {
namespace {

// Limits of the help text: comparing thousands of names with thousands takes seconds, and few suggestions suffice.
constexpr size_t kHints = 3;
constexpr size_t kCompared = 2000;

using Index = std::map<std::string_view, size_t>;

std::string_view own_name(const WeightName& w) { return w.own.empty() ? w.identifier : w.own; }

}  // namespace

MatchedWeights match_weights(const std::vector<WeightName>& weights, const std::vector<std::string_view>& tensors) {
  Index by_own, by_identifier;
  for (size_t i = 0; i < weights.size(); ++i) {
    by_own.emplace(own_name(weights[i]), i);
    by_identifier.emplace(weights[i].identifier, i);
  }
  const auto count = [&](const Index& index) {
    return std::count_if(tensors.begin(), tensors.end(), [&](std::string_view t) { return index.count(t) != 0; });
  };
  const bool is_own_first = count(by_own) >= count(by_identifier);
  MatchedWeights out;
  out.tensor_of.resize(weights.size());
  std::vector<bool> is_known(tensors.size());
  for (const Index* index : {is_own_first ? &by_own : &by_identifier, is_own_first ? &by_identifier : &by_own}) {
    for (size_t t = 0; t < tensors.size(); ++t) {
      const auto weight = index->find(tensors[t]);
      if (is_known[t] || weight == index->end()) continue;
      is_known[t] = true;
      std::optional<size_t>& taken = out.tensor_of[weight->second];
      if (taken)
        out.twice.emplace_back(*taken, t);
      else
        taken = t;
    }
  }
  for (size_t i = 0; i < weights.size(); ++i)
    if (!out.tensor_of[i]) out.missing.push_back(i);
  for (size_t t = 0; t < tensors.size(); ++t)
    if (!is_known[t]) out.unknown.push_back(t);
  return out;
}

std::string closest_names(const std::vector<std::string_view>& missing, const std::vector<std::string_view>& there) {
  std::vector<std::string> candidates(there.begin(), there.begin() + std::min(there.size(), kCompared));
  std::string out;
  size_t hints = 0;
  for (size_t i = 0; i < missing.size() && i < kHints; ++i) {
    const std::string hint = did_you_mean(missing[i], candidates);
    if (hint.empty()) continue;
    out += concat(hints++ ? "; " : "", quoted(missing[i]), ": ", hint);
  }
  return out;
}

}  // namespace sunmao::io
