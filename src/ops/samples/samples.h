// Samples: for each op, calls that it takes, drawn at random; its record says how. Tests compare them with other
// libraries, and build random modules of them.
#pragma once
#include "ops/samples/sampler.h"

namespace sunmao {

/// Null for an op without samples.
SampleFn sample_of(std::string_view op);
/// The names of all ops with samples, in the order of the alphabet.
std::vector<std::string> sampled_ops();

}  // namespace sunmao
