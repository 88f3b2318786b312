// StateSession: a session that keeps the state of a model from run to run.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bindings/loaded_model.h"

namespace sunmao::python {

/// One call at a time (E0916). It keeps the model.
class StateSession {
 public:
  explicit StateSession(std::shared_ptr<LoadedModel> model)
      : model_(std::move(model)), session_(model_->make_session()) {}

  std::vector<HostTensor> run(const std::string& function, const LoadedModel::Inputs& inputs) {
    return model_->run(*session_, function, inputs);
  }
  /// Profiles a copy: the state stays as it is.
  std::string profile(const std::string& function, const LoadedModel::Inputs& inputs, uint64_t repeat) const {
    const std::unique_ptr<StateSession> other = copy();
    return model_->profile(*other->session_, function, inputs, repeat);
  }
  std::unique_ptr<StateSession> copy() const;
  void reset() { call_runtime(sunmao_session_reset, session_->session); }
  void save(const std::string& path) const { call_runtime(sunmao_session_save, session_->session, path.c_str()); }
  void load(const std::string& path) { call_runtime(sunmao_session_load, session_->session, path.c_str()); }
  HostTensor get(const std::string& state) const;
  void set(const std::string& state, const HostTensor& value);

 private:
  StateSession(std::shared_ptr<LoadedModel> model, std::unique_ptr<ModelSession> session)
      : model_(std::move(model)), session_(std::move(session)) {}

  /// Returns the number of a state; E0901 when there is none of this name.
  size_t find(const std::string& state) const;

  std::shared_ptr<LoadedModel> model_;
  std::unique_ptr<ModelSession> session_;
};

}  // namespace sunmao::python
