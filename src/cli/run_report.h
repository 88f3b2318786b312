// Reports of the results of `run`.
#pragma once
#include <string>
#include <vector>

#include "eval/compare.h"

namespace sunmao::cli {

struct RunResult {
  std::string prefix;           // prefix of the recording's tensors; empty without recording
  std::vector<double> seconds;  // sorted durations of the runs
  std::vector<std::string> names;
  std::vector<Array> outputs;
  std::vector<Comparison> comparisons;  // one per output, or empty
};

/// Return the results as text or as JSON; `loading` is the time in seconds to load the model.
std::string text_report(const std::vector<RunResult>& results, double loading);
std::string json_report(const std::vector<RunResult>& results, double loading);

/// Fails (E0010) with a diagnostic for each output that differs from the expected one.
void fail_on_difference(const std::vector<RunResult>& results);

}  // namespace sunmao::cli
