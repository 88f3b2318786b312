// A Runnable for artifacts, based on the runtime's C API.
#include <algorithm>
#include <span>

#include "cli/runnable.h"
#include "compiler/runtime_handles.h"
#include "io/json.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::cli {
namespace {

size_t function_index(const sunmao_model* model, const std::string& name) {
  const int64_t found = sunmao_find_function(model, name.empty() ? "main" : name.c_str());
  if (found >= 0) return static_cast<size_t>(found);
  if (name.empty() && sunmao_function_count(model) == 1) return 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < sunmao_function_count(model); ++i) names.emplace_back(sunmao_function_name(model, i));
  fail("E0003", {}, fmt::format("--function: there is no function `{}`", name.empty() ? "main" : name),
       fmt::format("there are: {}", fmt::join(names, ", ")));
}

std::vector<InputDim> dims_of(const sunmao_dim* dims, size_t count) {
  std::vector<InputDim> out;
  for (const sunmao_dim& d : std::span(dims, count))
    out.push_back({d.size, d.symbol ? d.symbol : "", d.minimum, d.maximum});
  return out;
}

InputInfo input_info(const sunmao_value_info& value) {
  return {.name = value.name,
          .identifier = value.name,
          .dtype = {static_cast<TypeCode>(value.dtype.code), value.dtype.bits, value.dtype.lanes},
          .dims = dims_of(value.dims, static_cast<size_t>(value.ndim))};
}

class ArtifactRunnable final : public Runnable {
 public:
  ArtifactRunnable(io::Bytes memory, ModelHandle model, const std::string& function)
      : memory_(std::move(memory)), model_(std::move(model)), session_(create_session(model_)),
        function_(function_index(model_.get(), function)), outputs_(sunmao_output_count(model_.get(), function_)) {}

  std::vector<InputInfo> inputs() const override {
    std::vector<InputInfo> out;
    sunmao_value_info info;
    const io::Result<io::JsonDocument> manifest =
        io::JsonDocument::parse(std::string_view(sunmao_model_manifest(model_.get())));
    for (size_t i = 0; sunmao_input_info(model_.get(), function_, i, &info) == 0; ++i) {
      out.push_back(input_info(info));
      const sunmao_dim* sizes = nullptr;
      const size_t count = sunmao_input_sizes(model_.get(), function_, i, &sizes);
      out.back().sizes = dims_of(sizes, count);
      if (!manifest.ok()) continue;
      const io::JsonValue identifiers = manifest->root()["identifiers"][sunmao_function_name(model_.get(), function_)];
      out.back().identifier = identifiers[info.name].as_string().value_or(info.name);
    }
    return out;
  }

  std::vector<std::string> output_names() const override {
    std::vector<std::string> out;
    sunmao_value_info info;
    for (size_t i = 0; sunmao_output_info(model_.get(), function_, i, &info) == 0; ++i) out.emplace_back(info.name);
    return out;
  }

  void run(const std::vector<HostTensor>& inputs) override {
    std::vector<DLTensor> views;
    for (const HostTensor& t : inputs) views.push_back(t.view());
    std::ranges::fill(outputs_, DLTensor{});  // null data: allocated by the session
    sunmao_error error;
    const char* name = sunmao_function_name(model_.get(), function_);
    if (sunmao_run(session_.get(), name, views.data(), views.size(), outputs_.data(), outputs_.size(), &error))
      fail_with(error);
  }

  std::vector<Array> outputs() const override {
    std::vector<Array> out;
    for (const DLTensor& t : outputs_) {
      const DType dtype{static_cast<TypeCode>(t.dtype.code), t.dtype.bits, t.dtype.lanes};
      const std::vector<int64_t> shape(t.shape, t.shape + t.ndim);
      const auto size = static_cast<size_t>(shape_bytes(shape, dtype).value_or(0));
      const auto* data = static_cast<const std::byte*>(t.data) + t.byte_offset;
      out.push_back(Array::copy(dtype, shape, {data, size}));
    }
    return out;
  }

  const sunmao_model* model() const override { return model_.get(); }
  sunmao_session* session() const override { return session_.get(); }

 private:
  io::Bytes memory_;  // the artifact's bytes; must outlive the model
  ModelHandle model_;
  SessionHandle session_;
  size_t function_;
  std::vector<DLTensor> outputs_;
};

}  // namespace

sunmao_load_options load_options(const LoadSettings& settings) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.verify_weights = settings.weights_path.empty();
  options.weights_path = settings.weights_path.empty() ? nullptr : settings.weights_path.c_str();
  options.cache_folder = settings.cache_folder.empty() ? nullptr : settings.cache_folder.c_str();
  return options;
}

std::unique_ptr<Runnable> load_artifact(const std::string& path, const LoadSettings& settings) {
  return std::make_unique<ArtifactRunnable>(io::Bytes(), load_model(path, load_options(settings)), settings.function);
}

std::unique_ptr<Runnable> load_artifact(io::Bytes artifact, const LoadSettings& settings) {
  ModelHandle model = load_model(artifact, load_options(settings));
  return std::make_unique<ArtifactRunnable>(std::move(artifact), std::move(model), settings.function);
}

}  // namespace sunmao::cli
