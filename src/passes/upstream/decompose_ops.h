// The common part of the passes `decompose-ops-for-inference` and `decompose-ops-for-training`: decomposition of ops
// that depend on the purpose of the program, and symbolic names for shapes known only at run time.
#pragma once
#include <span>

#include "ops/simpler_forms.h"
#include "passes/pass.h"

namespace sunmao {

/// Decomposes for each purpose in turn, in the function `func_name` or in all. Fails (E0515), naming `pass`, when there
/// is no such function.
Module decompose_ops(const Module& m, const PassContext& ctx, const char* pass, std::span<const Purpose> purposes);

}  // namespace sunmao
