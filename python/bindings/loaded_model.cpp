#include "bindings/loaded_model.h"

#include <nanobind/nanobind.h>

#include <chrono>

#include "compiler/model_profile.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

// Calls a function of the C API, whose last argument is the error, and throws on failure.
template <class F, class... Args>
void checked(F function, Args... args) {
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
  checked(sunmao_load, path.c_str(), &native_options, &model);
  return std::shared_ptr<LoadedModel>(new LoadedModel(model, {}));
}

std::shared_ptr<LoadedModel> LoadedModel::open(io::Bytes file, const LoadOptions& options) {
  sunmao_model* model = nullptr;
  sunmao_load_options native_options = native(options);
  checked(sunmao_load_memory, file.data(), file.size(), &native_options, &model);
  return std::shared_ptr<LoadedModel>(new LoadedModel(model, std::move(file)));
}

LoadedModel::~LoadedModel() {
  idle_.clear();
  sunmao_model_free(model_);
}

void LoadedModel::write_weights(const std::string& path) const {
  checked(sunmao_model_write_weights, model_, path.c_str());
}

LoadedModel::Session LoadedModel::take_session() {
  const auto owned = [this](std::unique_ptr<Idle> session) {
    return Session(session.release(), [this](Idle* s) { give_back(s); });
  };
  {
    std::lock_guard guard(lock_);
    if (!idle_.empty()) {
      std::unique_ptr<Idle> session = std::move(idle_.back());
      idle_.pop_back();
      return owned(std::move(session));
    }
  }
  auto made = std::make_unique<Idle>();
  checked(sunmao_session_create, model_, &made->session);
  checked(sunmao_session_set_stop, made->session, &has_python_signal, nullptr);
  made->functions = host_functions_.give_to(made->session, made->run);
  return owned(std::move(made));
}

void LoadedModel::give_back(Idle* session) {
  session->run = {};  // objects go before anybody else has the session
  std::lock_guard guard(lock_);
  idle_.emplace_back(session);
}

std::vector<DLManagedTensor*> LoadedModel::run(const Idle& session, const std::string& function,
                                               const std::vector<DLTensor>& inputs) const {
  const int64_t index = sunmao_find_function(model_, function.c_str());
  std::vector<DLManagedTensor*> results(index < 0 ? 0 : sunmao_output_count(model_, static_cast<size_t>(index)));
  try {
    checked(sunmao_run_managed, session.session, function.c_str(), inputs.data(), inputs.size(), results.data(),
            results.size());
  } catch (const UserError&) {
    if (session.run.raised) throw *session.run.raised;
    throw;
  }
  return results;
}

std::vector<HostTensor> LoadedModel::run(const Idle& session, const std::string& function,
                                         const std::vector<const HostTensor*>& inputs) const {
  std::vector<DLTensor> views;
  views.reserve(inputs.size());
  for (const HostTensor* t : inputs) views.push_back(t->view());
  std::vector<HostTensor> out;
  for (DLManagedTensor* t : run(session, function, views)) out.push_back(HostTensor::take(t));
  return out;
}

std::vector<HostTensor> LoadedModel::run(const std::string& function, const std::vector<const HostTensor*>& inputs) {
  return run(*take_session(), function, inputs);
}

bool LoadedModel::takes_object(const std::string& function, size_t input) const {
  const int64_t index = sunmao_find_function(model_, function.c_str());
  sunmao_value_info info;
  return index >= 0 && !sunmao_input_info(model_, static_cast<size_t>(index), input, &info) &&
         info.dtype.code == kDLOpaqueHandle;
}

std::vector<ProgramResult> LoadedModel::call(const std::string& function, const std::vector<ProgramInput>& inputs,
                                             const FindHostFunction& find) {
  const Session session = take_session();
  HostRun& host = session->run;
  host.find = find;
  std::vector<uint64_t> handles(inputs.size());
  std::vector<DLTensor> views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor) {
      host.tensors.push_back(inputs[i].value);
      views.push_back(inputs[i].tensor->view());
    } else {
      handles[i] = host.objects.add(inputs[i].value);
      views.push_back({&handles[i], {kDLCPU, 0}, 0, {kDLOpaqueHandle, 64, 1}, nullptr, nullptr, 0});
    }
  }
  std::vector<HostTensor> results;
  for (DLManagedTensor* t : run(*session, function, views)) results.push_back(HostTensor::take(t));
  std::vector<ProgramResult> out;
  for (HostTensor& result : results) {
    if (result.dtype == DType::handle())
      out.emplace_back(host.objects.at(*static_cast<const uint64_t*>(result.data)));
    else
      out.emplace_back(std::move(result));
  }
  return out;
}

std::string LoadedModel::profile(const std::string& function, const std::vector<const HostTensor*>& inputs,
                                 uint64_t repeat) {
  constexpr std::chrono::seconds kTime(1);
  const Session session = take_session();
  run(*session, function, inputs);
  checked(sunmao_profile_start, session->session, nullptr);
  {
    const auto stop = [](sunmao_session* s) { sunmao_profile_stop(s, nullptr); };
    const std::unique_ptr<sunmao_session, decltype(stop)> profiled(session->session, stop);  // also when a run fails
    const auto end = std::chrono::steady_clock::now() + kTime;
    for (uint64_t i = 0; repeat > 0 ? i < repeat : i == 0 || std::chrono::steady_clock::now() < end; ++i)
      run(*session, function, inputs);
  }
  return profile_json(read_profile(model_, session->session), measure_peak());
}

}  // namespace sunmao::python
