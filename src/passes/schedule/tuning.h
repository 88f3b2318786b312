// Tuning: which plans kernels take that were measured to be faster. It stands on a module as an attribute, which the
// pass `apply-tuning` hands to kernels.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

/// The attribute of a module: {kernel: {target: [plan, …]}}, by the digests of kernels and the texts of targets.
inline constexpr const char* kTuningAttr = "sunmao.tuning";

/// The texts of kPlansAttr by `kernel_digest` and `Target::text`.
using TunedPlans = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

/// Returns 16 hexadecimal digits that say what a kernel computes and how its loops stand before they are scheduled:
/// they depend neither on names nor on attributes.
std::string kernel_digest(const PrimFunc& kernel);

/// Returns the module with these plans in its attribute, which go before those that are there.
Module with_tuning(const Module& module, const TunedPlans& tuning);

/// Returns the plans in the module's attribute; fails (E0548) when it has another form.
TunedPlans tuning_of(const Module& module);

}  // namespace sunmao
