// What a program assumes of the sizes of its inputs: comparisons that the exporter wrote as Python, such as
// `L['x'].size()[0] % 4 == 0`.
#pragma once
#include <string>
#include <unordered_map>

#include "frontend/model_builder.h"
#include "frontend/size_text.h"

namespace sunmao::torch {

/// The dimensions of each argument, by its place in the words of guards.
using ArgumentSizes = std::unordered_map<std::string, std::vector<Scalar>>;

using Guard = SizeComparison;

/// Parses a guard. Nothing when it is about something other than sizes, or says only that a size is not 0 or 1, which
/// the exporter assumes of every dynamic size.
std::optional<Guard> parse_guard(std::string_view text, const ArgumentSizes& sizes, ModelBuilder& builder);

/// Lets a run check the guard, unless it is proven.
void require(const Guard& guard, const Span& span, ModelBuilder& builder);

/// Parses the text of a size such as `2*s65`, in which symbols are those of the builder; null when it is none.
Scalar parse_size_text(std::string_view text, ModelBuilder& builder);

}  // namespace sunmao::torch
