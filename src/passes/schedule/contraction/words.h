// Steps of two bfloat16 as steps of one word of 32 bits, in which the element of the first iteration is the low half.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns a contraction whose bundles are two bfloat16 with words as operands: loads of a view of 32 bits where a
/// bundle is one of its elements, else made of two loads. nullopt for other contractions.
std::optional<Contraction> in_words(const Contraction& c, BufferViews& views);

}  // namespace sunmao
