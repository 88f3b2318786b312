// The pipeline: which passes run, in which order, and what holds after each. Read pipeline.cpp first.
#pragma once
#include "compiler/options.h"

namespace sunmao {

/// `has_weights`: some entry point says what its weights are (`num_input`).
std::vector<PipelineStep> build_pipeline(bool has_weights);

}  // namespace sunmao
