// Steps of two bfloat16 as steps of one word of 32 bits, in which the element of the first iteration is the low half.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the two elements of a bundle of a load as a word: a load of a view where it is one, else made of two loads.
Scalar as_word(const Bundle& bundle, const Scalar& operand, BufferViews& views);

/// Returns a word of two halves, each of which is a uint32 below 2^16.
Scalar word_of_halves(const Scalar& low, const Scalar& high);
/// Returns a load of bfloat16 as such a half.
Scalar half_of(const BufferLoad& load, BufferViews& views);

/// Returns a contraction whose bundles are two bfloat16 with words as operands: loads of a view of 32 bits where a
/// bundle is one of its elements, else made of two loads. nullopt for other contractions.
std::optional<Contraction> in_words(const Contraction& c, BufferViews& views);

}  // namespace sunmao
