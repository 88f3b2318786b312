// What a manifest tells of weights that are wider than in the model.
#pragma once
#include <string>

#include "io/json.h"
#include "io/json_writer.h"

namespace sunmao {

/// Returns the bytes that weights take in the model and in the artifact; empty when the manifest does not tell.
std::string weight_bytes_text(const io::JsonValue& manifest);

/// Returns which weights are wider than in the model, the largest increase first: "widened: `embedding` int8 -> float32
/// (+71.1 MB)". Empty when there are none.
std::string widened_text(const io::JsonValue& manifest);

/// Writes the key `widened` and what the manifest tells of these weights.
void write_widened(io::JsonWriter& w, const io::JsonValue& manifest);

}  // namespace sunmao
