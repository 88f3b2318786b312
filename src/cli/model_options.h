// Options that say which function of a model runs and on what, shared by `run` and `profile`.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sunmao::cli {

struct ModelSettings {
  std::string model, function, weights, cache;
  std::vector<std::string> inputs, dims;
  uint32_t threads = 0;  // 0: as many as the process may use
};

void add_model_options(CLI::App& app, ModelSettings& options);

}  // namespace sunmao::cli
