// Two dimensions of a contraction's columns or rows as one, so that vectors and tiles are full.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the contraction with its last two dimensions of columns as one, where that fills vectors of `lanes` better;
/// nullopt elsewhere. Buffers that have these dimensions side by side are viewed as `views` say; other indices are
/// computed.
std::optional<Contraction> collapse_columns(const Contraction& c, int64_t lanes, BufferViews& views);

/// Returns the contraction with its rows and the dimension before them as one; nullopt when the output does not have
/// them side by side, or they are no rows.
std::optional<Contraction> collapse_rows(const Contraction& c, BufferViews& views);

/// True when neighbouring rows of the left operand are found without divisions.
bool has_plain_rows(const Contraction& c);

}  // namespace sunmao
