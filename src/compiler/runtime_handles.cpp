#include "compiler/runtime_handles.h"

#include "support/diagnostic.h"

namespace sunmao {

void fail_with(const sunmao_error& error) { fail(error.code, {}, error.message, error.help); }

ModelHandle load_model(const io::Bytes& artifact, const sunmao_load_options& options) {
  sunmao_error error;
  sunmao_model* model = nullptr;
  if (sunmao_load_memory(artifact.data(), artifact.size(), &options, &model, &error)) fail_with(error);
  return {model, sunmao_model_free};
}

ModelHandle load_model(const std::string& path, const sunmao_load_options& options) {
  sunmao_error error;
  sunmao_model* model = nullptr;
  if (sunmao_load(path.c_str(), &options, &model, &error)) fail_with(error);
  return {model, sunmao_model_free};
}

io::JsonDocument manifest_of(const sunmao_model* model) {
  io::Result<io::JsonDocument> manifest = io::JsonDocument::parse(std::string_view(sunmao_model_manifest(model)));
  SUNMAO_CHECK(manifest.ok(), "the manifest of a loaded model is valid");
  return manifest.take();
}

SessionHandle create_session(const ModelHandle& model) {
  sunmao_error error;
  sunmao_session* session = nullptr;
  if (sunmao_session_create(model.get(), &session, &error)) fail_with(error);
  return {session, sunmao_session_free};
}

}  // namespace sunmao
