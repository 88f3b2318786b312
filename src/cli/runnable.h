// Runnable: what `run` drives: a loaded artifact, or the reference evaluator on a module.
#pragma once
#include <sunmao/runtime.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/host_tensor.h"
#include "io/bytes.h"
#include "ir/module.h"

namespace sunmao::cli {

/// A size, or a symbol with the range that a run accepts.
struct InputDim {
  int64_t size = 0;    // when there is no symbol
  std::string symbol;  // empty for a size
  int64_t minimum = 0, maximum = 0;
};

struct InputInfo {
  std::string name;        // in the model's file
  std::string identifier;  // in scripts; most often the same
  DType dtype;
  std::vector<InputDim> dims;
};

/// `float32 (batch, 16)`.
std::string describe(const InputInfo& info);

class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual std::vector<InputInfo> inputs() const = 0;
  virtual std::vector<std::string> output_names() const = 0;
  /// Runs once; this alone is timed.
  virtual void run(const std::vector<HostTensor>& inputs) = 0;
  /// Of the latest run.
  virtual std::vector<Array> outputs() const = 0;
};

struct LoadSettings {
  std::string function;      // empty: main, or the only one
  std::string weights_path;  // weights in place of the artifact's own; empty: none
  std::string cache_folder;  // keeps what the artifact prepares; empty: none
};

/// They point into `settings`.
sunmao_load_options load_options(const LoadSettings& settings);

std::unique_ptr<Runnable> load_artifact(const std::string& path, const LoadSettings& settings);
/// An artifact in memory.
std::unique_ptr<Runnable> load_artifact(io::Bytes artifact, const LoadSettings& settings);
/// The evaluator on a model as it was read; weights are passed behind the inputs.
std::unique_ptr<Runnable> evaluate_model(const Model& model, const std::string& function);

}  // namespace sunmao::cli
