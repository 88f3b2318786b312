// Dimensions of inputs that the exporter derived from a symbol, such as 2 * s0, where no input has s0 as a dimension of
// its own.
#pragma once
#include "frontend/model_builder.h"
#include "io/json.h"

namespace sunmao::torch {

/// A dimension factor * symbol + offset, for which `own` stands.
struct DerivedSize {
  std::string text;  // as the program writes it
  int64_t factor, offset;
  Ref<SymVar> own;
  Scalar exact;  // `own` where it has the exporter's form: factor * ((own - offset) // factor) + offset
  /// Returns the dimension where the exporter's symbol has this value; the largest number when it is beyond that.
  int64_t at(int64_t value) const;
};

/// Gives each such dimension a symbol of its own, in terms of which the exporter's symbol is read from here on. `sizes`
/// are the dimensions of all inputs.
std::vector<DerivedSize> define_derived_sizes(const std::vector<io::JsonValue>& sizes, ModelBuilder& builder,
                                              const Span& span);

/// Returns the name under which a builder knows the symbol for a dimension that is written as `text`.
std::string derived_name(std::string_view text);

}  // namespace sunmao::torch
