// The pipeline: the order of the passes, and the stage reached after each. Start with pipeline.cpp.
#pragma once
#include "compiler/options.h"

namespace sunmao {

/// How work on weights is lifted.
struct WeightWorkPlan {
  bool is_lifted = false;  // whether work on weights may be lifted out of the entry points
  /// Groups of entry points that share a transform, by its name; each other entry point gets a transform of its own.
  std::map<std::string, std::vector<std::string>> together = {};
};

/// For which machines kernels are scheduled.
struct KernelPlan {
  std::vector<Target> targets;
  Target preparing;  // runs the kernels that prepare weights while compiling
  UnrollOptions unroll = {};
};

/// `products` is the type in which products and convolutions of float32 read their operands.
std::vector<PipelineStep> build_pipeline(const WeightWorkPlan& weights, const KernelPlan& kernels, DType products);

}  // namespace sunmao
