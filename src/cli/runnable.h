// Runnable: what `run` executes: a loaded artifact, or a module in the reference evaluator.
#pragma once
#include <sunmao/runtime.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/host_tensor.h"
#include "io/bytes.h"
#include "ir/module.h"

namespace sunmao::cli {

/// A fixed size, or a symbol with its allowed range.
struct InputDim {
  int64_t size = 0;    // valid without a symbol
  std::string symbol;  // empty for a fixed size
  int64_t minimum = 0, maximum = 0;
};

struct InputInfo {
  std::string name;        // in the model's file
  std::string identifier;  // in scripts; usually equal to `name`
  DType dtype;
  std::vector<InputDim> dims;
  std::vector<InputDim> sizes = {};  // of a shape or a number: what its elements are
};

class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual std::vector<InputInfo> inputs() const = 0;
  virtual std::vector<std::string> output_names() const = 0;
  /// Runs once; only this is timed.
  virtual void run(const std::vector<HostTensor>& inputs) = 0;
  /// Returns the outputs of the last run.
  virtual std::vector<Array> outputs() const = 0;
  /// Return the model and the session of an artifact; null for others.
  virtual const sunmao_model* model() const { return nullptr; }
  virtual sunmao_session* session() const { return nullptr; }
};

struct LoadSettings {
  std::string function;      // empty: `main`, or the only function
  std::string weights_path;  // weights that replace those of the artifact; empty: none
  std::string cache_folder;  // cache for prepared weights; empty: none
};

/// Returns the settings as options of the C API; they point into `settings`.
sunmao_load_options load_options(const LoadSettings& settings);

std::unique_ptr<Runnable> load_artifact(const std::string& path, const LoadSettings& settings);
/// Loads an artifact from memory.
std::unique_ptr<Runnable> load_artifact(io::Bytes artifact, const LoadSettings& settings);
/// Returns a Runnable that runs the model in the evaluator after normalization, without other passes; weights are
/// passed after the inputs.
std::unique_ptr<Runnable> evaluate_model(const Model& model, const std::string& function);

}  // namespace sunmao::cli
