#include "bindings/state_session.h"

namespace sunmao::python {

std::unique_ptr<StateSession> StateSession::copy() const {
  sunmao_session* made = nullptr;
  call_runtime(sunmao_session_copy, session_->session, &made);
  return std::unique_ptr<StateSession>(new StateSession(model_, model_->adopt(made)));
}

size_t StateSession::find(const std::string& state) const {
  const int64_t found = sunmao_find_state(model_->get(), state.c_str());
  if (found >= 0) return static_cast<size_t>(found);
  std::vector<std::string> names;
  for (size_t i = 0; i < sunmao_state_count(model_->get()); ++i)
    names.push_back(fmt::format("`{}`", sunmao_state_name(model_->get(), i)));
  fail("E0901", {}, fmt::format("the model has no state `{}`", state),
       fmt::format("it has {}", fmt::join(names, ", ")));
}

HostTensor StateSession::get(const std::string& state) const {
  DLManagedTensor* value = nullptr;
  call_runtime(sunmao_session_get_state, session_->session, find(state), &value);
  return HostTensor::take(value);
}

void StateSession::set(const std::string& state, const HostTensor& value) {
  const DLTensor view = value.view();
  call_runtime(sunmao_session_set_state, session_->session, find(state), &view);
}

}  // namespace sunmao::python
