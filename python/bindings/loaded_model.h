// LoadedModel: an artifact ready to run, on top of the runtime's C API.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/host_functions.h"
#include "bindings/host_tensor.h"
#include "io/bytes.h"

namespace sunmao::python {

struct LoadOptions {
  uint32_t threads = 0;
  bool verify_weights = false;
  std::string isa = {};
  std::string weights_path = {};
  std::string cache_folder = {};
};

/// Thread-safe: each run takes a session of its own, which is kept for reuse.
class LoadedModel {
 public:
  static std::shared_ptr<LoadedModel> open(const std::string& path, const LoadOptions& options);
  /// `file` must be aligned to 64 bytes, so that weights are used in place.
  static std::shared_ptr<LoadedModel> open(io::Bytes file, const LoadOptions& options);
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  const sunmao_model* get() const { return model_; }
  /// Returns the file when it was loaded from memory; empty when it was loaded from a path.
  const io::Bytes& file() const { return file_; }
  HostFunctions& host_functions() { return host_functions_; }
  /// Writes the weights that the model's functions use to a safetensors file.
  void write_weights(const std::string& path) const;
  std::vector<HostTensor> run(const std::string& function, const std::vector<const HostTensor*>& inputs);
  /// Runs the function once, then `repeat` times or, if that is 0, for a second; returns the profile of these runs as
  /// JSON (docs/command_line.md).
  std::string profile(const std::string& function, const std::vector<const HostTensor*>& inputs, uint64_t repeat);

 private:
  LoadedModel(sunmao_model* model, io::Bytes file) : model_(model), file_(std::move(file)), host_functions_(model) {}
  using Session = std::unique_ptr<sunmao_session, std::function<void(sunmao_session*)>>;

  /// Returns a session that is kept for reuse at the end.
  Session take_session();
  void give_back(sunmao_session* session);
  std::vector<HostTensor> run(sunmao_session* session, const std::string& function,
                              const std::vector<const HostTensor*>& inputs) const;

  sunmao_model* model_;
  io::Bytes file_;
  HostFunctions host_functions_;
  std::mutex lock_;
  std::vector<sunmao_session*> idle_;
};

}  // namespace sunmao::python
