// LoadedModel: an artifact that is ready to run, over the runtime's C interface alone.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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

/// Any number of threads may run it at once: each run takes a session of its own, which is kept for the next.
class LoadedModel {
 public:
  static std::shared_ptr<LoadedModel> open(const std::string& path, const LoadOptions& options);
  /// `file` starts at a multiple of 64 bytes, so that weights are used where they are.
  static std::shared_ptr<LoadedModel> open(io::Bytes file, const LoadOptions& options);
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  const sunmao_model* get() const { return model_; }
  /// The file as it was loaded from memory; empty when it was loaded from a path.
  const io::Bytes& file() const { return file_; }
  /// The weights that its functions take, to a safetensors file.
  void write_weights(const std::string& path) const;
  std::vector<HostTensor> run(const std::string& function, const std::vector<const HostTensor*>& inputs);

 private:
  LoadedModel(sunmao_model* model, io::Bytes file) : model_(model), file_(std::move(file)) {}
  sunmao_session* take_session();
  void give_back(sunmao_session* session);

  sunmao_model* model_;
  io::Bytes file_;
  std::mutex lock_;
  std::vector<sunmao_session*> idle_;
};

}  // namespace sunmao::python
