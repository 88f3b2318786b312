// C API functions that load, run and disassemble. Checks arguments for NULL; see c_errors.h for `answer`.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "io/concat.h"
#include "runtime/c_errors.h"
#include "runtime/c_handles.h"
#include "runtime/disassemble.h"
#include "runtime/made_weights.h"
#include "runtime/memory_formula.h"
#include "runtime/thread_pool.h"

namespace {

using namespace sunmao;
using io::concat;
using io::quoted;
using io::Status;
using runtime::answer;
using runtime::null_argument;

io::Result<runtime::LoadOptions> read_options(const sunmao_load_options* given) {
  runtime::LoadOptions options;
  if (!given) return options;
  if (given->struct_size < sizeof(size_t) || given->struct_size > 4096)
    return Status::error("E0900", concat("`sunmao_load_options`: `struct_size` is ", given->struct_size),
                         "begin with SUNMAO_LOAD_OPTIONS_INIT");
  // The options of a caller built against another version of the header may have fewer or more fields.
  sunmao_load_options known = SUNMAO_LOAD_OPTIONS_INIT;
  std::memcpy(&known, given, std::min(given->struct_size, sizeof(known)));
  options.threads = known.threads;
  options.verify_weights = known.verify_weights != 0;
  options.without_code = known.without_code != 0;
  if (known.isa) options.isa = known.isa;
  if (known.weights_path) options.weights_path = known.weights_path;
  if (known.cache_folder) options.cache_folder = known.cache_folder;
  return options;
}

/// Loads a model from `source`, a path or bytes.
template <class Source>
Status load(Source source, const sunmao_load_options* given, sunmao_model** out) {
  io::Result<runtime::LoadOptions> options = read_options(given);
  if (!options.ok()) return options.status();
  io::Result<std::shared_ptr<const runtime::Model>> model = runtime::Model::load(std::move(source), *options);
  if (!model.ok()) return model.status();
  *out = new sunmao_model{model.take()};
  return {};
}

/// Returns the index of the function `name`; NULL means the only function or, of several, `main`. E0901 when there is
/// none.
io::Result<size_t> find_function(const runtime::Model& model, const char* name) {
  const std::span<const runtime::Signature> signatures = model.entries();
  if (!name && signatures.size() == 1) return size_t{0};
  std::string names;
  for (size_t i = 0; i < signatures.size(); ++i)
    if (signatures[i].name == (name ? name : "main")) return i;
  for (const runtime::Signature& signature : signatures) names += (names.empty() ? "" : ", ") + quoted(signature.name);
  return Status::error("E0901", concat("the model has no function ", quoted(name ? name : "main")),
                       names.empty() ? std::string("it has none at all") : "it has " + names);
}

/// The checks of sunmao_run and sunmao_run_managed for NULL arguments; returns the index of the function.
io::Result<size_t> begin_run(const char* function_name, sunmao_session* session, const char* function,
                             const void* inputs, size_t input_count, const void* outputs, size_t output_count) {
  if (!session) return null_argument(function_name, "session");
  if (!inputs && input_count > 0) return null_argument(function_name, "inputs");
  if (!outputs && output_count > 0) return null_argument(function_name, "outputs");
  return find_function(session->session->model(), function);
}

Status give_text(const std::string& text, char** out) {
  *out = static_cast<char*>(std::malloc(text.size() + 1));
  if (!*out) return Status::error("E0910", concat("there is no memory for a text of ", text.size(), " bytes"));
  std::memcpy(*out, text.c_str(), text.size() + 1);
  return {};
}

}  // namespace

const char* sunmao_version(void) { return SUNMAO_VERSION; }
void sunmao_set_threads(uint32_t count) { runtime::set_thread_count(count); }

uint32_t sunmao_get_threads(void) {
  uint32_t count = 0;
  answer(nullptr, [&count] {
    count = runtime::thread_count();
    return Status();
  });
  return count;
}

uint32_t sunmao_model_threads(const sunmao_model* model) {
  const uint32_t count = sunmao_get_threads(), limit = model ? model->model->thread_limit() : 0;
  return limit ? std::min(limit, count) : count;
}

int sunmao_load(const char* path, const sunmao_load_options* options, sunmao_model** model, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!model) return null_argument("sunmao_load", "model");
    *model = nullptr;
    if (!path) return null_argument("sunmao_load", "path");
    return load(std::string(path), options, model);
  });
}

int sunmao_load_memory(const void* data, size_t size, const sunmao_load_options* options, sunmao_model** model,
                       sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!model) return null_argument("sunmao_load_memory", "model");
    *model = nullptr;
    if (!data) return null_argument("sunmao_load_memory", "data");
    return load(io::Bytes::borrowed({static_cast<const std::byte*>(data), size}), options, model);
  });
}

void sunmao_model_free(sunmao_model* model) { delete model; }

int sunmao_model_write_weights(const sunmao_model* model, const char* path, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!model) return null_argument("sunmao_model_write_weights", "model");
    if (!path) return null_argument("sunmao_model_write_weights", "path");
    return runtime::write_weights(*model->model, path);
  });
}

int sunmao_session_create(sunmao_model* model, sunmao_session** session, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_session_create", "session");
    *session = nullptr;
    if (!model) return null_argument("sunmao_session_create", "model");
    io::Result<std::unique_ptr<runtime::Session>> made = runtime::Session::create(model->model);
    if (made.ok()) *session = new sunmao_session{made.take()};
    return made.status();
  });
}

void sunmao_session_free(sunmao_session* session) { delete session; }

int sunmao_session_set_stop(sunmao_session* session, int (*should_stop)(void* data), void* data, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_session_set_stop", "session");
    return session->session->set_stop({should_stop, data});
  });
}

int sunmao_register_function(sunmao_session* session, const char* name, sunmao_host_function function, void* data,
                             sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_register_function", "session");
    if (!name) return null_argument("sunmao_register_function", "name");
    if (!function) return null_argument("sunmao_register_function", "function");
    return session->session->set_host_function(name, {.call = function, .data = data});
  });
}

int sunmao_register_op(sunmao_session* session, const char* name, sunmao_op op, void* data, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_register_op", "session");
    if (!name) return null_argument("sunmao_register_op", "name");
    if (!op) return null_argument("sunmao_register_op", "op");
    return session->session->set_host_function(name, {.op = op, .data = data});
  });
}

int sunmao_run(sunmao_session* session, const char* function, const DLTensor* inputs, size_t input_count,
               DLTensor* outputs, size_t output_count, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    io::Result<size_t> index = begin_run("sunmao_run", session, function, inputs, input_count, outputs, output_count);
    if (!index.ok()) return index.status();
    return session->session->run(*index, {inputs, input_count}, {outputs, output_count});
  });
}

int sunmao_run_managed(sunmao_session* session, const char* function, const DLTensor* inputs, size_t input_count,
                       DLManagedTensor** outputs, size_t output_count, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (outputs) std::fill_n(outputs, output_count, nullptr);
    io::Result<size_t> index =
        begin_run("sunmao_run_managed", session, function, inputs, input_count, outputs, output_count);
    if (!index.ok()) return index.status();
    return session->session->run_managed(*index, {inputs, input_count}, {outputs, output_count});
  });
}

int64_t sunmao_find_kernel(const sunmao_model* model, const char* name) {
  if (!model || !name) return -1;
  const runtime::ProgramTables& tables = model->model->program().tables();
  for (size_t i = 0; i < tables.kernels.size(); ++i)
    if (tables.text(tables.kernels[i].name) == name) return static_cast<int64_t>(i);
  return -1;
}

int sunmao_run_kernel(sunmao_session* session, int64_t kernel, void* const* buffers, size_t buffer_count,
                      const int64_t* dims, size_t dim_count, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_run_kernel", "session");
    if (!buffers && buffer_count > 0) return null_argument("sunmao_run_kernel", "buffers");
    if (!dims && dim_count > 0) return null_argument("sunmao_run_kernel", "dims");
    const size_t count = session->session->model().program().tables().kernels.size();
    if (kernel < 0 || static_cast<uint64_t>(kernel) >= count)
      return Status::error("E0901", concat("the model has no kernel ", kernel, ": there are ", count));
    return session->session->run_kernel(static_cast<uint32_t>(kernel), {buffers, buffer_count}, {dims, dim_count});
  });
}

int sunmao_model_disassemble(const sunmao_model* model, char** text, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!text) return null_argument("sunmao_model_disassemble", "text");
    *text = nullptr;
    if (!model) return null_argument("sunmao_model_disassemble", "model");
    return give_text(runtime::disassemble(model->model->program()), text);
  });
}

int sunmao_function_memory_formula(const sunmao_model* model, size_t function, char** text, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!text) return null_argument("sunmao_function_memory_formula", "text");
    *text = nullptr;
    if (!model) return null_argument("sunmao_function_memory_formula", "model");
    if (function >= model->model->entries().size())
      return Status::error("E0901", concat("there is no function ", function));
    const runtime::Program& program = model->model->program();
    return give_text(runtime::memory_formula(program.tables(), program.function(function)), text);
  });
}

int sunmao_program_disassemble(const void* program, size_t size, char** text, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!text) return null_argument("sunmao_program_disassemble", "text");
    *text = nullptr;
    if (!program) return null_argument("sunmao_program_disassemble", "program");
    io::Result<runtime::Program> read = runtime::Program::read({static_cast<const std::byte*>(program), size});
    if (!read.ok()) return read.status();
    return give_text(runtime::disassemble(*read), text);
  });
}

void sunmao_string_free(char* text) { std::free(text); }
