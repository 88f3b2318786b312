// Forms of kernels. A kernel's form for a target is a function that computes the same and is scheduled for that target.
// It stands beside the kernel, which calls still name, and says in its attributes whose form it is.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "ir/module.h"
#include "loop/prim_func.h"
#include "passes/pass.h"

namespace sunmao {

inline constexpr const char* kFormOfAttr = "form_of";          // the name of the kernel
inline constexpr const char* kFormTargetAttr = "form_target";  // `Target::text` of the target

/// True of a form whose body is a choice between two versions, of which loop passes change each by itself. The first
/// one is for runs in which choices of indices that depend on sizes alone are made in one way (`with_versions`).
inline constexpr const char* kHasVersionsAttr = "has_versions";

using Forms = std::map<std::string, Ref<PrimFunc>>;

/// Returns the forms for a target by the names of their kernels.
Forms find_forms(const Module& module, const Target& target);

/// Applies a loop pass to the forms of the module's kernels, to each for its own target; in a module without forms to
/// all kernels, for the target of the context.
Module map_forms(const Module& module, const PassContext& context,
                 const std::function<Ref<PrimFunc>(const Ref<PrimFunc>&, const Target&)>& pass);

/// Returns the module whose kernels are their forms for a target; kernels that have none stay.
Module with_forms_as_kernels(const Module& module, const Target& target);

}  // namespace sunmao
