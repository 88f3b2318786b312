// The plans of a group of statements, each with its text and what writes it.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "passes/schedule/family.h"

namespace sunmao {

struct PlanWriter {
  std::string text;
  std::function<std::optional<WrittenGroup>()> write;
};

/// Adds a plan, unless one of the same text is there or the group has many already.
inline void add_plan(std::vector<PlanWriter>& plans, PlanWriter plan) {
  constexpr size_t kMostPlans = 16;
  if (plans.size() < kMostPlans && std::ranges::find(plans, plan.text, &PlanWriter::text) == plans.end())
    plans.push_back(std::move(plan));
}

inline std::vector<std::string> texts_of(const std::vector<PlanWriter>& plans) {
  std::vector<std::string> out;
  for (const PlanWriter& plan : plans) out.push_back(plan.text);
  return out;
}

/// Writes a group by the plan of that text, which it has.
inline std::optional<WrittenGroup> write_plan(const std::vector<PlanWriter>& plans, const std::string& text) {
  const auto found = std::ranges::find(plans, text, &PlanWriter::text);
  return found == plans.end() ? std::nullopt : found->write();
}

}  // namespace sunmao
