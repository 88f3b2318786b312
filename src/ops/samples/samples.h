// Access to the sample functions of op records, which draw random calls of their ops.
#pragma once
#include "ops/samples/sampler.h"

namespace sunmao {

/// Returns the sample function of an op; null when it has none.
SampleFn sample_of(std::string_view op);
/// Returns the names of all ops with samples, sorted.
std::vector<std::string> sampled_ops();

}  // namespace sunmao
