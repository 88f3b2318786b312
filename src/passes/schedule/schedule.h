// The loop pass `schedule`: applies to each block of a kernel the schedule that fits it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

/// The attribute of a kernel that names the plans by which its groups of statements are written: a list of texts, one
/// for each group that has a choice, in the order in which they are scheduled.
inline constexpr const char* kPlansAttr = "sunmao.plans";

/// The plans of a group of statements, first the one that is taken without a choice.
using GroupPlans = std::vector<std::string>;

/// Applies the kernel families in this order: attention, contractions with their epilogues, rows, single reductions,
/// elementwise blocks; then the outer loops of blocks that no family takes are spread over threads where iterations are
/// independent. Blocks that nothing recognises are unchanged. The attribute kPlansAttr chooses between the plans of
/// groups, and is gone afterwards; groups beyond its texts take their first plan. Fails (E0547) on a text that no plan
/// of its group has, and on a text that has no group.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target);

/// Returns the plans of the groups that have a choice, in the order of kPlansAttr, where that attribute chooses the
/// plans of the groups before. No two plans of a group are written as the same loops.
std::vector<GroupPlans> find_plans(const Ref<PrimFunc>& func, const Target& target);

/// True when the groups have the plans that kPlansAttr names, so that `schedule` does not fail on it.
bool has_chosen_plans(const Ref<PrimFunc>& func, const Target& target);

/// Returns the texts of kPlansAttr; fails (E0547) when it is no list of texts.
std::vector<std::string> chosen_plans(const PrimFunc& func);

}  // namespace sunmao
