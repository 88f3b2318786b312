// Options that say which function of a model runs and on what, shared by `run`, `profile` and `bench`.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/runnable.h"
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
/// Fails (E0004) for an artifact, which has no graph.
void check_is_model(const std::string& path);
void add_model_options(CLI::App& app, ModelSettings& options);
/// Adds those of them that say what runs, without sizes and threads.
void add_source_options(CLI::App& app, ModelSettings& options);
/// Add those of them that are for models too, which are compiled: function, inputs, weights and ops; sizes and threads.
void add_call_options(CLI::App& app, ModelSettings& options);
void add_size_options(CLI::App& app, ModelSettings& options);

/// Loads an artifact, or compiles a model in memory for this machine. Fails (E0807) before anything runs when one of
/// the outputs is a file that the model consists of.
std::unique_ptr<Runnable> open_model(const ModelSettings& settings, const std::vector<std::string>& outputs);

}  // namespace sunmao::cli
