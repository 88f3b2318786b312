// Attributes of functions that say what inputs, weights and results are called where the model comes from.
#pragma once

namespace sunmao {

/// Maps parameters to the names of weights and inputs in the model's file, where these are others.
inline constexpr const char* kSourceWeightsAttr = "sunmao.source_weights";
inline constexpr const char* kSourceInputsAttr = "sunmao.source_inputs";
/// The names of the results in the model's file, in order.
inline constexpr const char* kSourceOutputsAttr = "sunmao.source_outputs";
/// How arguments and results are nested where the model comes from, as JSON text (docs/artifact.md).
inline constexpr const char* kNestingAttr = "sunmao.nesting";

}  // namespace sunmao
