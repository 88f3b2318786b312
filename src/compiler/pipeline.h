// The pipeline: which passes run, in which order, and what holds after each. Read pipeline.cpp first.
#pragma once
#include "compiler/options.h"

namespace sunmao {

/// `prepares_weights`: work on weights may move out of the entry point.
std::vector<PipelineStep> build_pipeline(bool prepares_weights);

}  // namespace sunmao
