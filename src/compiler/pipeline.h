// The pipeline: which passes run, in which order, and what holds after each. Read pipeline.cpp first.
#pragma once
#include "compiler/options.h"

namespace sunmao {

/// What happens to work on weights.
struct WeightWorkPlan {
  bool is_lifted = false;  // it may move out of the entry points
  /// Entry points that get one transform, by its name; each of the others gets one of its own.
  std::map<std::string, std::vector<std::string>> together = {};
};

std::vector<PipelineStep> build_pipeline(const WeightWorkPlan& weights);

}  // namespace sunmao
