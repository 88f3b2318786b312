// C API functions for the state that sessions keep.
#include "io/concat.h"
#include "runtime/c_errors.h"
#include "runtime/c_handles.h"
#include "runtime/element_type.h"

namespace {

using sunmao::io::concat;
using sunmao::io::Status;
using sunmao::runtime::answer;
using sunmao::runtime::null_argument;
using sunmao::runtime::SignatureValue;

const SignatureValue* find_state(const sunmao_model* model, size_t state) {
  return state < sunmao_state_count(model) ? &model->model->states()[state] : nullptr;
}

Status check_number(const sunmao_session& session, size_t state) {
  const size_t count = session.session->model().states().size();
  if (state < count) return {};
  return Status::error("E0901", concat("the model has no state ", state, ": there are ", count));
}

}  // namespace

size_t sunmao_state_count(const sunmao_model* model) { return model ? model->model->states().size() : 0; }

const char* sunmao_state_name(const sunmao_model* model, size_t state) {
  const SignatureValue* found = find_state(model, state);
  return found ? found->name.c_str() : nullptr;
}

int64_t sunmao_find_state(const sunmao_model* model, const char* name) {
  for (size_t i = 0; name && i < sunmao_state_count(model); ++i)
    if (model->model->states()[i].name == name) return static_cast<int64_t>(i);
  return -1;
}

int sunmao_state_info(const sunmao_model* model, size_t state, sunmao_value_info* info) {
  const SignatureValue* found = find_state(model, state);
  if (!found || !info) return 1;
  *info = {found->name.c_str(), found->dtype_name.c_str(), sunmao::runtime::to_dlpack(found->type),
           static_cast<int32_t>(found->dims.size()), found->dims.data()};
  return 0;
}

const int64_t* sunmao_state_first_shape(const sunmao_model* model, size_t state) {
  if (!find_state(model, state)) return nullptr;
  const sunmao::runtime::ProgramTables& tables = model->model->program().tables();
  return tables.shape(tables.states[state]).data();
}

int sunmao_session_reset(sunmao_session* session, sunmao_error* error) {
  return answer(error, [&] {
    if (!session) return null_argument("sunmao_session_reset", "session");
    return session->session->reset();
  });
}

int sunmao_session_copy(sunmao_session* session, sunmao_session** copy, sunmao_error* error) {
  if (copy) *copy = nullptr;
  return answer(error, [&] {
    if (!copy) return null_argument("sunmao_session_copy", "copy");
    if (!session) return null_argument("sunmao_session_copy", "session");
    auto made = session->session->copy();
    if (made.ok()) *copy = new sunmao_session{made.take()};
    return made.status();
  });
}

int sunmao_session_save(sunmao_session* session, const char* path, sunmao_error* error) {
  return answer(error, [&] {
    if (!session) return null_argument("sunmao_session_save", "session");
    if (!path) return null_argument("sunmao_session_save", "path");
    return session->session->save(path);
  });
}

int sunmao_session_load(sunmao_session* session, const char* path, sunmao_error* error) {
  return answer(error, [&] {
    if (!session) return null_argument("sunmao_session_load", "session");
    if (!path) return null_argument("sunmao_session_load", "path");
    return session->session->load(path);
  });
}

int sunmao_session_get_state(sunmao_session* session, size_t state, DLManagedTensor** value, sunmao_error* error) {
  if (value) *value = nullptr;
  return answer(error, [&] {
    if (!value) return null_argument("sunmao_session_get_state", "value");
    if (!session) return null_argument("sunmao_session_get_state", "session");
    if (Status found = check_number(*session, state); !found.ok()) return found;
    sunmao::io::Result<DLManagedTensor*> made = session->session->get_state(state);
    if (made.ok()) *value = *made;
    return made.status();
  });
}

int sunmao_session_set_state(sunmao_session* session, size_t state, const DLTensor* value, sunmao_error* error) {
  return answer(error, [&] {
    if (!session) return null_argument("sunmao_session_set_state", "session");
    if (!value) return null_argument("sunmao_session_set_state", "value");
    if (Status found = check_number(*session, state); !found.ok()) return found;
    return session->session->set_state(state, *value);
  });
}
