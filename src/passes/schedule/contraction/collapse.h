// Two dimensions of a contraction's columns as one, so that short rows of an image fill vectors.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the contraction with its last two dimensions of columns as one, where that fills vectors of `lanes` better;
/// nullopt elsewhere. Buffers that have these dimensions side by side are viewed as `views` say; other indices are
/// computed.
std::optional<Contraction> collapse_columns(const Contraction& c, int64_t lanes, BufferViews& views);

}  // namespace sunmao
