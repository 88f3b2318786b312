// Any model that the compiler takes: an ONNX model, a .pt2 archive, or a script with its weights beside it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct ReadModelOptions {
  /// A safetensors file whose tensors take the place of the model's own weights (compiler/given_weights.h). Empty:
  /// none.
  std::string weights_path = {};
  /// Receives what the user may want to know of a model that was read.
  std::vector<std::string>* notes = nullptr;
  /// Receives the files with data that the model names.
  std::vector<std::string>* files = nullptr;
};

/// Whether a file is read as a script, by its name.
bool is_script(const std::filesystem::path& path);
/// Where the large constants of a script stand.
std::filesystem::path constants_path(std::filesystem::path script);

/// `.py` is a script; of any other file the content decides. The module is as it was read: verified by nobody.
Model read_model_file(const std::filesystem::path& path, const ReadModelOptions& options = {});

/// Writes a module as a script that read_model_file reads. Large constants do not stand in the text: they are tensors
/// `0`, `1` … of the file at `constants_path`, which is written when there are any.
void write_script_file(const std::filesystem::path& path, const Module& module);

}  // namespace sunmao
