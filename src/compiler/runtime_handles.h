// Owning handles of the runtime's objects, and conversion of its errors to user errors.
#pragma once
#include <sunmao/runtime.h>

#include <memory>
#include <string>

#include "io/bytes.h"
#include "io/json.h"

namespace sunmao {

using ModelHandle = std::unique_ptr<sunmao_model, decltype(&sunmao_model_free)>;
using SessionHandle = std::unique_ptr<sunmao_session, decltype(&sunmao_session_free)>;

[[noreturn]] void fail_with(const sunmao_error& error);

/// Load a model from an artifact in memory, whose bytes must outlive it, or from a file.
ModelHandle load_model(const io::Bytes& artifact, const sunmao_load_options& options);
ModelHandle load_model(const std::string& path, const sunmao_load_options& options);
/// Returns the manifest of a loaded model.
io::JsonDocument manifest_of(const sunmao_model* model);
SessionHandle create_session(const ModelHandle& model);

}  // namespace sunmao
