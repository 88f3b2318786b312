// Options that say which function of a model runs and on what, shared by `run` and `profile`.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao::cli {

struct ModelSettings {
  std::string model, function, weights, cache;
  std::vector<std::string> inputs, dims, ops;
  uint32_t threads = 0;  // 0: as many as the process may use
};

/// Adds `--ops`: files with custom ops.
void add_ops_option(CLI::App& app, std::vector<std::string>& values);
/// Returns the modules of scripts with custom ops; fails (E0004) for object files, which are no part of a module.
std::vector<Module> read_op_modules(const std::vector<std::string>& ops);
/// Fails (E0004) when custom ops are given to an artifact.
void check_ops(const std::vector<std::string>& ops, const std::string& model);
void add_model_options(CLI::App& app, ModelSettings& options);

}  // namespace sunmao::cli
