// Fusion of two dimensions of a contraction's columns or rows into one, so that vectors and tiles are full.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the contraction with its last two dimensions of columns fused, where that fills vectors of `lanes` better;
/// nullopt elsewhere. Buffers in which these dimensions are adjacent are reshaped by `views`; for others, indices are
/// computed from the fused one.
std::optional<Contraction> collapse_columns(const Contraction& c, int64_t lanes, BufferViews& views);

/// Returns the contraction with its rows and the dimension before them fused; nullopt when they are not adjacent in the
/// output, or the dimension before gives no rows.
std::optional<Contraction> collapse_rows(const Contraction& c, BufferViews& views);

/// True when neighbouring rows of the left operand are found without divisions.
bool has_plain_rows(const Contraction& c);

}  // namespace sunmao
