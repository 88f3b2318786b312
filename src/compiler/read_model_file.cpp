#include "compiler/read_model_file.h"

#include "compiler/given_weights.h"
#include "compiler/tensor_file.h"
#include "frontend/frontend.h"
#include "io/concat.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr std::string_view kScriptExtension = ".py", kObjectExtension = ".o";
constexpr std::string_view kNoConstant = "E0118";

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

// Adds the expected path of the constants to errors about missing constants.
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
    return {parse_module(source, builtin_ops(), {.resolve = {}, .constants = read_constants(path)}), {}, {}};
  } catch (const UserError& error) {
    throw with_constants_path(error, path);
  }
}

}  // namespace

bool is_script(const std::filesystem::path& path) { return path.extension() == kScriptExtension; }

std::filesystem::path constants_path(std::filesystem::path script) { return script += ".constants.safetensors"; }

Model read_model_file(const std::filesystem::path& path, const ReadModelOptions& options) {
  if (is_script(path) && !(options.custom.empty() && options.custom_ops.empty()))
    fail("E0611", {}, "custom ops are for models of ONNX and PyTorch, and this one is a script",
         "a script has functions and kernels of its own: put these there");
  Model model = is_script(path) ? read_script(path)
                                : read_model(path, builtin_ops(),
                                             {.notes = options.notes,
                                              .files = options.files,
                                              .nodes = options.nodes,
                                              .custom = options.custom,
                                              .custom_ops = options.custom_ops,
                                              .dims = options.dims,
                                              .keep_state = options.keep_state});
  if (!options.weights_path.empty())
    take_weights(
        model,
        {.tensors = read_tensors(options.weights_path), .origin = io::quoted(options.weights_path), .is_file = true});
  return model;
}

OpFiles read_op_files(const std::vector<std::string>& paths) {
  OpFiles out;
  for (const std::string& path : paths) {
    if (is_script(path))
      out.modules.push_back(read_script(path).module);
    else if (path.ends_with(kObjectExtension))
      out.objects.push_back({io::quoted(path), map_or_fail(path)});
    else
      fail("E0611", {},
           fmt::format("{} holds no custom ops: it is neither a script nor an object file", io::quoted(path)),
           "custom ops are functions of a script (.py), and kernels in object files (.o); see docs/custom-ops.md");
  }
  return out;
}

void write_script_file(const std::filesystem::path& path, const Module& module) {
  const PrintResult script = print_with_constants(module);
  Weights constants;
  for (size_t i = 0; i < script.constants.size(); ++i) constants.emplace(std::to_string(i), script.constants[i]);
  std::vector<io::FileContents> files;
  if (!constants.empty()) files.push_back({constants_path(path).string(), tensor_chunks(constants)});
  files.push_back({path.string(), {io::Bytes::from(script.text)}});
  write_together_or_fail(files);
}

}  // namespace sunmao
