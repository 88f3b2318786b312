// Tensors of narrow elements that a graph widens to floats: by a conversion, or by scales and zero points.
#pragma once
#include "passes/algebra/quantised.h"

namespace sunmao {

/// Returns what is widened by a call of `dequantize`, or of `astype` to floats of more bits; `scale` and `zero` are
/// null for the latter. Nullopt for other calls, and where no number of 16 bits or less is widened.
std::optional<Quantised> read_widened(const Call& call);

/// Returns how many bytes a widened tensor takes more than before; 0 when its sizes are not known.
int64_t bytes_of_widening(const Call& widening);

/// Returns the number of elements; 0 when it is not known.
int64_t element_count(const Expr& tensor);

}  // namespace sunmao
