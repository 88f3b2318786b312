#include "bindings/loaded_model.h"

#include <nanobind/nanobind.h>

#include <chrono>

#include "compiler/model_profile.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

// Calls a function of the C API, whose last argument is the error, and throws on failure.
template <class F, class... Args>
void call(F function, Args... args) {
  sunmao_error error = {};
  if (function(args..., &error)) fail(error.code, {}, error.message, error.help);
}

sunmao_load_options native(const LoadOptions& options) {
  sunmao_load_options out = SUNMAO_LOAD_OPTIONS_INIT;
  out.threads = options.threads;
  out.verify_weights = options.verify_weights;
  out.isa = options.isa.empty() ? nullptr : options.isa.c_str();
  out.weights_path = options.weights_path.empty() ? nullptr : options.weights_path.c_str();
  out.cache_folder = options.cache_folder.empty() ? nullptr : options.cache_folder.c_str();
  return out;
}

/// True when the handler of a signal has raised an exception, which is that of Python then.
int has_python_signal(void*) {
  const nanobind::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;
}

}  // namespace

std::shared_ptr<LoadedModel> LoadedModel::open(const std::string& path, const LoadOptions& options) {
  sunmao_model* model = nullptr;
  sunmao_load_options native_options = native(options);
  call(sunmao_load, path.c_str(), &native_options, &model);
  return std::shared_ptr<LoadedModel>(new LoadedModel(model, {}));
}

std::shared_ptr<LoadedModel> LoadedModel::open(io::Bytes file, const LoadOptions& options) {
  sunmao_model* model = nullptr;
  sunmao_load_options native_options = native(options);
  call(sunmao_load_memory, file.data(), file.size(), &native_options, &model);
  return std::shared_ptr<LoadedModel>(new LoadedModel(model, std::move(file)));
}

LoadedModel::~LoadedModel() {
  for (sunmao_session* session : idle_) sunmao_session_free(session);
  sunmao_model_free(model_);
}

void LoadedModel::write_weights(const std::string& path) const {
  call(sunmao_model_write_weights, model_, path.c_str());
}

LoadedModel::Session LoadedModel::take_session() {
  const auto owned = [this](sunmao_session* session) {
    return Session(session, [this](sunmao_session* s) { give_back(s); });
  };
  {
    std::lock_guard guard(lock_);
    if (!idle_.empty()) {
      sunmao_session* session = idle_.back();
      idle_.pop_back();
      return owned(session);
    }
  }
  sunmao_session* session = nullptr;
  call(sunmao_session_create, model_, &session);
  Session out = owned(session);
  call(sunmao_session_set_stop, session, &has_python_signal, nullptr);
  host_functions_.give_to(session);
  return out;
}

void LoadedModel::give_back(sunmao_session* session) {
  std::lock_guard guard(lock_);
  idle_.push_back(session);
}

std::vector<HostTensor> LoadedModel::run(sunmao_session* session, const std::string& function,
                                         const std::vector<const HostTensor*>& inputs) const {
  std::vector<DLTensor> views;
  views.reserve(inputs.size());
  for (const HostTensor* t : inputs) views.push_back(t->view());
  const int64_t index = sunmao_find_function(model_, function.c_str());
  std::vector<DLManagedTensor*> results(index < 0 ? 0 : sunmao_output_count(model_, static_cast<size_t>(index)));
  call(sunmao_run_managed, session, function.c_str(), views.data(), views.size(), results.data(), results.size());
  std::vector<HostTensor> out;
  out.reserve(results.size());
  for (DLManagedTensor* t : results) out.push_back(HostTensor::take(t));
  return out;
}

std::vector<HostTensor> LoadedModel::run(const std::string& function, const std::vector<const HostTensor*>& inputs) {
  return run(take_session().get(), function, inputs);
}

std::string LoadedModel::profile(const std::string& function, const std::vector<const HostTensor*>& inputs,
                                 uint64_t repeat) {
  constexpr std::chrono::seconds kTime(1);
  const Session session = take_session();
  run(session.get(), function, inputs);
  call(sunmao_profile_start, session.get(), nullptr);
  {
    const auto stop = [](sunmao_session* s) { sunmao_profile_stop(s, nullptr); };
    const std::unique_ptr<sunmao_session, decltype(stop)> profiled(session.get(), stop);  // also when a run fails
    const auto end = std::chrono::steady_clock::now() + kTime;
    for (uint64_t i = 0; repeat > 0 ? i < repeat : i == 0 || std::chrono::steady_clock::now() < end; ++i)
      run(session.get(), function, inputs);
  }
  return profile_json(read_profile(model_, session.get()), measure_peak());
}

}  // namespace sunmao::python
