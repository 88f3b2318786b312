// Which tensors of kernels are free to be stored in any layout, and the name under which kernels say so.
#pragma once
#include <unordered_set>

#include "ir/expr.h"

namespace sunmao {

/// An attribute of a kernel: the places of its parameters that are weights or constants.
inline constexpr const char* kFreeBuffersAttr = "layout_free_buffers";

/// An attribute of a kernel that was such a block.
inline constexpr const char* kRelayoutAttr = "sunmao.relayout";

/// Returns the places of those tensors that are weights or constants.
std::vector<int64_t> free_places(const std::vector<Expr>& tensors, const std::unordered_set<Ref<Var>>& weights);

}  // namespace sunmao
