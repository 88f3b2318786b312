#include "compiler/read_model_file.h"

#include <algorithm>

#include "compiler/tensor_file.h"
#include "frontend/frontend.h"
#include "io/concat.h"
#include "ops/ops.h"
#include "passes/graph/weight_dependence.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr std::string_view kScriptExtension = ".py";
constexpr std::string_view kNoConstant = "E0118";

std::filesystem::path constants_path(std::filesystem::path script) { return script += ".constants.safetensors"; }

std::vector<Array> read_constants(const std::filesystem::path& script) {
  const std::filesystem::path path = constants_path(script);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const Weights tensors = read_tensors(path);
  std::vector<Array> out;
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto found = tensors.find(std::to_string(i));
    if (found == tensors.end()) break;
    out.push_back(found->second);
  }
  return out;
}

// The error with the place where the script's constants belong, where it is that one is not there.
UserError with_constants_path(const UserError& error, const std::filesystem::path& script) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  const std::filesystem::path path = constants_path(script);
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(path, ignored);
  for (Diagnostic& d : diagnostics)
    if (d.code == kNoConstant)
      d.help = fmt::format(
          "large constants stand beside a script, in {}, which {}; `sunmao opt MODEL -o {}` writes both",
          io::quoted(path.string()), is_there ? "is of another one" : "is not there", script.filename().string());
  return UserError(std::move(diagnostics));
}

Model read_script(const std::filesystem::path& path) {
  const io::Bytes file = map_or_fail(path);
  const Ref<Source> source = Source::make(path.filename().string(), std::string(file.text()));
  try {
    return {parse_module(source, builtin_ops(), {.resolve = {}, .constants = read_constants(path)}), {}};
  } catch (const UserError& error) {
    throw with_constants_path(error, path);
  }
}

std::string list(const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) out += (i ? ", " : "") + io::quoted(names[i]);
  return out.empty() ? "no tensors" : out + (names.size() > kShown ? " …" : "");
}

// The model file's name of a parameter's weight, empty when it says none.
std::string file_name_of(const Function& f, const std::string& param) {
  const AttrMap* names = f.attr<AttrMap>("weight_names");
  if (!names || !names->contains(param)) return {};
  const auto* name = names->at(param).find<std::string>();
  return name ? *name : std::string();
}

// Gives the parameters behind the inputs the tensors of their names; the rest keep what they have. Fails when the file
// has none of them: it belongs to another model.
void replace_weights(Model& model, const Weights& tensors, const std::string& file) {
  std::vector<std::string> missing;
  bool is_any_found = false;
  for (const FunctionEntry& entry : model.module.functions()) {
    const auto* f = find<Function>(Expr(entry.func));
    const std::optional<size_t> inputs = f ? num_input(*f, entry.var->name) : std::nullopt;
    if (!inputs) continue;
    for (size_t i = *inputs; i < f->params.size(); ++i) {
      const std::string& name = f->params[i]->name;
      auto found = tensors.find(name);
      if (found == tensors.end()) found = tensors.find(file_name_of(*f, name));
      if (found == tensors.end()) {
        if (std::ranges::find(missing, name) == missing.end()) missing.push_back(name);
        continue;
      }
      model.weights.insert_or_assign(name, found->second);
      is_any_found = true;
    }
  }
  if (is_any_found || missing.empty()) return;
  std::vector<std::string> there;
  for (const auto& [name, data] : tensors) there.push_back(name);
  fail("E0522", {},
       fmt::format("`{}` has none of the model's weights: expected {}, got {}", file, list(missing), list(there)),
       "are these the weights of another model?");
}

}  // namespace

Model read_model_file(const std::filesystem::path& path, const ReadModelOptions& options) {
  Model model = path.extension() == kScriptExtension ? read_script(path)
                                                     : read_model(path, builtin_ops(), {.notes = options.notes});
  if (!options.weights_path.empty()) replace_weights(model, read_tensors(options.weights_path), options.weights_path);
  return model;
}

void write_script_file(const std::filesystem::path& path, const Module& module) {
  const PrintResult script = print_with_constants(module);
  Weights constants;
  for (size_t i = 0; i < script.constants.size(); ++i) constants.emplace(std::to_string(i), script.constants[i]);
  if (!constants.empty()) write_tensors(constants_path(path), constants);
  write_or_fail(path, {io::Bytes::from(script.text)});
}

}  // namespace sunmao
