// Versions of a kernel: where indices are choices that depend on sizes alone, one version of its loops has the chosen
// index, which vectorises, and the other one the choice.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns the kernel with the body `if all conditions hold: loops with the first alternatives, else: the loops`, where
/// an index of a load is `condition ? index : 0` and the condition compares sizes of the kernel's buffers; the kernel
/// itself where there is none.
Ref<PrimFunc> with_versions(const Ref<PrimFunc>& kernel);

}  // namespace sunmao
