// Counts of a manifest: numbers, or expressions of sizes (docs/artifact.md).
#pragma once
#include <optional>
#include <string_view>

#include "io/json.h"
#include "support/function_ref.h"

namespace sunmao {

/// Returns the size of that name; nullopt when there is none.
using SizeLookup = FunctionRef<std::optional<int64_t>(std::string_view)>;

/// Evaluates a count; nullopt when it is of another form, or names a size that is not known.
std::optional<double> count_of(const io::JsonValue& count, SizeLookup size_of);

}  // namespace sunmao
