// Ops whose meaning depends on what the program is for, in simpler ops; and shapes that only a run knows, by symbols.
// What DecomposeOpsForInference and DecomposeOpsForTraining share.
#pragma once
#include <span>

#include "ops/simpler_forms.h"
#include "passes/pass.h"

namespace sunmao {

/// Decomposes for each purpose in turn, in the function `func_name` or in all. Fails (E0515) in the name of `pass`.
Module decompose_ops(const Module& m, const PassContext& ctx, const char* pass, std::span<const Purpose> purposes);

}  // namespace sunmao
