#include "cli/artifact_graph.h"

#include <sunmao/runtime.h>

#include <filesystem>

#include "cli/artifact_entries.h"
#include "cli/console.h"
#include "compiler/runtime_handles.h"
#include "compiler/tensor_file.h"
#include "io/concat.h"
#include "io/json.h"
#include "support/diagnostic.h"
#include "view/artifact_graph.h"
#include "view/sizes.h"

namespace sunmao::cli {
namespace {

Weights artifact_weights(const io::Bytes& file, const std::string& path) {
  const std::vector<ArtifactEntry> entries = artifact_entries(file);
  const ArtifactEntry* entry = find_entry(entries, "weights.safetensors");
  return entry ? tensors_of(entry->data, path) : Weights();
}

}  // namespace

void check_is_no_object(const std::string& path) {
  const io::Bytes file = map_or_fail(path);
  if (file.text().starts_with("\x7f"
                              "ELF"))
    fail("E0014", {}, fmt::format("{} is a shared object, which programs load", io::quoted(path)),
         "give the artifact of the model: `sunmao compile MODEL -o model.sunmao`, without --emit=so");
}

view::Graph graph_of_artifact(const std::string& path) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  sunmao_error error;
  sunmao_model* loaded = nullptr;
  if (sunmao_load(path.c_str(), &options, &loaded, &error)) fail_with(error);
  const std::unique_ptr<sunmao_model, decltype(&sunmao_model_free)> model(loaded, sunmao_model_free);
  char* text = nullptr;
  if (sunmao_model_disassemble(loaded, &text, &error)) fail_with(error);
  const std::unique_ptr<char, decltype(&sunmao_string_free)> disassembly(text, sunmao_string_free);
  const io::Result<io::JsonDocument> manifest =
      io::JsonDocument::parse(std::string_view(sunmao_model_manifest(loaded)));
  if (!manifest.ok()) fail(manifest.code(), {}, manifest.status().message(), manifest.status().help());
  const io::Bytes file = map_or_fail(path);
  view::Graph graph = view::graph_of_program(text, manifest->root(), artifact_weights(file, path));
  graph.title = std::filesystem::path(path).filename().string();
  graph.stage = "artifact";
  graph.parts = view::sizes_of(file, manifest->root(), graph);
  return graph;
}

}  // namespace sunmao::cli
