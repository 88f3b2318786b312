#include "bindings/loaded_model.h"

#include <nanobind/nanobind.h>

#include <chrono>

#include "compiler/model_profile.h"

namespace sunmao::python {
namespace {

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
  call_runtime(sunmao_load, path.c_str(), &native_options, &model);
  return std::shared_ptr<LoadedModel>(new LoadedModel(model, {}));
}

std::shared_ptr<LoadedModel> LoadedModel::open(io::Bytes file, const LoadOptions& options) {
  sunmao_model* model = nullptr;
  sunmao_load_options native_options = native(options);
  call_runtime(sunmao_load_memory, file.data(), file.size(), &native_options, &model);
  return std::shared_ptr<LoadedModel>(new LoadedModel(model, std::move(file)));
}

LoadedModel::~LoadedModel() {
  idle_.clear();
  sunmao_model_free(model_);
}

void LoadedModel::write_weights(const std::string& path) const {
  call_runtime(sunmao_model_write_weights, model_, path.c_str());
}

LoadedModel::Session LoadedModel::take_session() {
  const auto owned = [this](std::unique_ptr<ModelSession> session) {
    return Session(session.release(), [this](ModelSession* s) { give_back(s); });
  };
  {
    std::lock_guard guard(lock_);
    if (!idle_.empty()) {
      std::unique_ptr<ModelSession> session = std::move(idle_.back());
      idle_.pop_back();
      return owned(std::move(session));
    }
  }
  return owned(make_session());
}

std::unique_ptr<ModelSession> LoadedModel::make_session() const {
  sunmao_session* session = nullptr;
  call_runtime(sunmao_session_create, model_, &session);
  return adopt(session);
}

std::unique_ptr<ModelSession> LoadedModel::adopt(sunmao_session* session) const {
  auto made = std::make_unique<ModelSession>();
  made->session = session;
  call_runtime(sunmao_session_set_stop, session, &has_python_signal, nullptr);
  give_functions(*made);
  return made;
}

void LoadedModel::give_functions(ModelSession& session) const {
  session.version = host_functions_.version();
  session.functions = host_functions_.give_to(session.session, session.run);
}

void LoadedModel::register_function(const std::string& name, const std::shared_ptr<const HostFunction>& function,
                                    sunmao_op op) {
  host_functions_.set(name, function, op);
  if (!op) return;
  try {
    make_session();
  } catch (const UserError&) {
    host_functions_.set(name, nullptr);
    throw;
  }
}

void LoadedModel::give_back(ModelSession* session) {
  session->run = {};  // objects go before anybody else has the session
  std::lock_guard guard(lock_);
  idle_.emplace_back(session);
}

void LoadedModel::release_memory() {
  std::vector<std::unique_ptr<ModelSession>> kept;
  {
    std::lock_guard guard(lock_);
    kept.swap(idle_);
  }
}

size_t LoadedModel::kept_sessions() {
  std::lock_guard guard(lock_);
  return idle_.size();
}

std::vector<DLManagedTensor*> LoadedModel::run(ModelSession& session, const std::string& function,
                                               const std::vector<DLTensor>& inputs) const {
  if (session.version != host_functions_.version()) give_functions(session);
  const int64_t index = sunmao_find_function(model_, function.c_str());
  std::vector<DLManagedTensor*> results(index < 0 ? 0 : sunmao_output_count(model_, static_cast<size_t>(index)));
  try {
    call_runtime(sunmao_run_managed, session.session, function.c_str(), inputs.data(), inputs.size(), results.data(),
                 results.size());
  } catch (const UserError&) {
    if (session.run.raised) throw *session.run.raised;
    throw;
  }
  return results;
}

std::vector<HostTensor> LoadedModel::run(ModelSession& session, const std::string& function,
                                         const Inputs& inputs) const {
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

std::string LoadedModel::profile(const std::string& function, const Inputs& inputs, uint64_t repeat) {
  return profile(*take_session(), function, inputs, repeat);
}

std::string LoadedModel::profile(ModelSession& session, const std::string& function, const Inputs& inputs,
                                 uint64_t repeat) const {
  constexpr std::chrono::seconds kTime(1);
  run(session, function, inputs);
  call_runtime(sunmao_profile_start, session.session, nullptr);
  {
    const auto stop = [](sunmao_session* s) { sunmao_profile_stop(s, nullptr); };
    const std::unique_ptr<sunmao_session, decltype(stop)> profiled(session.session, stop);  // also when a run fails
    const auto end = std::chrono::steady_clock::now() + kTime;
    for (uint64_t i = 0; repeat > 0 ? i < repeat : i == 0 || std::chrono::steady_clock::now() < end; ++i)
      run(session, function, inputs);
  }
  const ModelProfile profile = read_profile(model_, session.session);
  return profile_json(profile, measure_peak(profile.threads));
}

}  // namespace sunmao::python
