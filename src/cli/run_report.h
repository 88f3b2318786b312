// What `run` says of its results.
#pragma once
#include <string>
#include <vector>

#include "eval/compare.h"

namespace sunmao::cli {

struct RunResult {
  std::string prefix;           // of the recording's tensors; empty without one
  std::vector<double> seconds;  // of each run, sorted
  std::vector<std::string> names;
  std::vector<Array> outputs;
  std::vector<Comparison> comparisons;  // one for each output, or none
};

/// `loading`: seconds from the file to something that runs.
std::string text_report(const std::vector<RunResult>& results, double loading);
std::string json_report(const std::vector<RunResult>& results, double loading);

/// Fails (E0010) with a diagnostic for each output that is not as expected.
void fail_on_difference(const std::vector<RunResult>& results);

}  // namespace sunmao::cli
