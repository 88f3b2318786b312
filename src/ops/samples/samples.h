// Samples: randomly drawn valid calls of each op, as given by its record. Tests compare them with other libraries and
// build random modules from them.
#pragma once
#include "ops/samples/sampler.h"

namespace sunmao {

/// Returns the sample function of an op; null when it has none.
SampleFn sample_of(std::string_view op);
/// Returns the names of all ops with samples, sorted.
std::vector<std::string> sampled_ops();

}  // namespace sunmao
