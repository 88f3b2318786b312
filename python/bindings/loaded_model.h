// LoadedModel: an artifact ready to run, on top of the runtime's C API.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "bindings/host_functions.h"
#include "bindings/host_tensor.h"
#include "io/bytes.h"
#include "support/diagnostic.h"

namespace sunmao::python {

struct LoadOptions {
  uint32_t threads = 0;
  bool verify_weights = false;
  std::string isa = {};
  std::string weights_path = {};
  std::string cache_folder = {};
};

/// An input of a run: a tensor, or an object that the model knows by a handle.
struct ProgramInput {
  Value value;
  const HostTensor* tensor = nullptr;  // null: an object
};
/// A result: a tensor, or an object.
using ProgramResult = std::variant<HostTensor, Value>;
// Calls a function of the C API, whose last argument is the error, and throws on failure.
template <class F, class... Args>
void call_runtime(F function, Args... args) {
  sunmao_error error = {};
  if (function(args..., &error)) fail(error.code, {}, error.message, error.help);
}

/// A session, with what its runs have of this program.
struct ModelSession {
  HostRun run = {};
  std::vector<std::unique_ptr<HostFunctions::Bound>> functions = {};
  uint64_t version = 0;  // of the functions
  sunmao_session* session = nullptr;

  ModelSession() = default;
  ModelSession(const ModelSession&) = delete;
  ModelSession& operator=(const ModelSession&) = delete;
  ~ModelSession() { sunmao_session_free(session); }
};

/// Thread-safe: each run takes a session of its own, which is kept with its memory for reuse.
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
  using Inputs = std::vector<const HostTensor*>;
  std::vector<HostTensor> run(const std::string& function, const Inputs& inputs);
  /// Runs a function whose inputs and results may be objects. `find` looks up the functions of the host that it calls.
  std::vector<ProgramResult> call(const std::string& function, const std::vector<ProgramInput>& inputs,
                                  const FindHostFunction& find);
  /// Returns whether an input of a function is an object.
  bool takes_object(const std::string& function, size_t input) const;
  /// Runs the function once, then `repeat` times or, if that is 0, for a second; returns the profile of these runs as
  /// JSON (docs/command_line.md).
  std::string profile(const std::string& function, const Inputs& inputs, uint64_t repeat);

  std::unique_ptr<ModelSession> make_session() const;
  /// Frees the sessions that are kept for reuse.
  void release_memory();
  size_t kept_sessions();
  /// Returns a session of the model that was made elsewhere, with the model's functions of the host.
  std::unique_ptr<ModelSession> adopt(sunmao_session* session) const;
  /// Do the same in a session of the model.
  std::vector<HostTensor> run(ModelSession& session, const std::string& function, const Inputs& inputs) const;
  std::string profile(ModelSession& session, const std::string& function, const Inputs& inputs, uint64_t repeat) const;
  /// Sets a function of the host; a kernel `op` in its place may be null. E0927 when the model calls it in another way.
  void register_function(const std::string& name, const std::shared_ptr<const HostFunction>& function, sunmao_op op);

 private:
  LoadedModel(sunmao_model* model, io::Bytes file) : model_(model), file_(std::move(file)), host_functions_(model) {}
  using Session = std::unique_ptr<ModelSession, std::function<void(ModelSession*)>>;

  /// Returns a session that is kept for reuse at the end.
  Session take_session();
  void give_back(ModelSession* session);
  void give_functions(ModelSession& session) const;
  std::vector<DLManagedTensor*> run(ModelSession& session, const std::string& function,
                                    const std::vector<DLTensor>& inputs) const;

  sunmao_model* model_;
  io::Bytes file_;
  HostFunctions host_functions_;
  std::mutex lock_;
  std::vector<std::unique_ptr<ModelSession>> idle_;
};

}  // namespace sunmao::python
