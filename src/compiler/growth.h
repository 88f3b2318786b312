// Growth: how many bytes weights take in an artifact against those in the model, and which steps made them more.
#pragma once
#include <string>
#include <vector>

#include "compiler/preparation.h"

namespace sunmao {

/// A prepared weight that takes more bytes than the raw ones that it is made of.
struct GrownWeight {
  std::string name;
  std::vector<std::string> made_of;
  size_t bytes_before = 0, bytes_after = 0;
  std::string where;  // the place in the model of the step that made it larger; empty when unknown
};

struct Growth {
  size_t bytes_before = 0, bytes_after = 0;
  std::vector<GrownWeight> grown;  // the largest increase first
  double share() const;            // 0.05: five percent more
};

/// Adds the weights that a preparing step makes larger to `growth.grown`; `bytes` says how large each weight is.
void add_grown(const PreparingStep& step, const std::map<std::string, size_t>& bytes, Growth& growth);

/// Growth above which a compilation reports it.
constexpr double kReportedGrowth = 0.05;

/// Returns one line for each of the weights that grew most.
std::vector<std::string> growth_lines(const Growth& growth);
/// Returns what a compilation says of growth, in lines; empty where it is not reported.
std::string growth_text(const Growth& growth);

}  // namespace sunmao
