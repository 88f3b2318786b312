// The options of `sunmao view`, and which of them go together.
#pragma once
#include <string>
#include <vector>

#include "cli/pass_options.h"

namespace sunmao::cli {

struct ViewSettings {
  std::string model, other, output, profile, around, target;
  std::vector<std::string> dims, inputs, ops;
  PassOptions passes;
  bool numbers = false;

  /// Whether a stage of the pipeline is drawn in place of a model as it was read.
  bool is_staged() const { return !around.empty() || !passes.stop_after.empty(); }
};

/// Fails (E0004) where options do not go together or one of them would have no effect, (E0511) where a pass does not
/// exist, and with the codes of targets.
void check_view_settings(const ViewSettings& settings);

}  // namespace sunmao::cli
