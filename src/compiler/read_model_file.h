// Reading of models in all supported formats: ONNX, .pt2 archives, and scripts with their weights.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "codegen/kernels.h"
#include "frontend/custom_converter.h"
#include "frontend/node_account.h"
#include "ir/module.h"
#include "sym/analyzer.h"

namespace sunmao {

struct ReadModelOptions {
  /// A safetensors file whose tensors replace the model's weights (compiler/given_weights.h); empty: none.
  std::string weights_path = {};
  /// Receives notes for the user about the model.
  std::vector<std::string>* notes = nullptr;
  /// Receives the paths of external data files that the model refers to.
  std::vector<std::string>* files = nullptr;
  /// Receives what became of each node of a model that is no script.
  std::vector<NodeAccount>* nodes = nullptr;
  /// Ranges that the model will be compiled for, which `compile` gets as well.
  std::map<std::string, Interval> dims = {};
  /// Sessions will keep state: random numbers come from one (ReadOptions).
  bool keep_state = false;
  /// Custom ops of models that are no scripts (ReadOptions); E0611 for a script.
  CustomConverters custom = {};
  std::vector<Module> custom_ops = {};
};

/// True when the file name is that of a script.
bool is_script(const std::filesystem::path& path);
/// Returns the path of the file with a script's large constants.
std::filesystem::path constants_path(std::filesystem::path script);

/// Reads `.py` files as scripts; the format of other files is determined by their content and the extension `.onnx`.
/// The module is not verified.
Model read_model_file(const std::filesystem::path& path, const ReadModelOptions& options = {});

/// Custom ops in files: scripts with functions (frontend/op_functions.h), and object files with kernels.
struct OpFiles {
  std::vector<Module> modules;
  std::vector<OpObject> objects;
};
/// Reads scripts (.py) and object files (.o); E0611 for another file.
OpFiles read_op_files(const std::vector<std::string>& paths);

/// Writes a module as a script for read_model_file. Large constants are written as tensors `0`, `1`, … to the file at
/// `constants_path`, if there are any.
void write_script_file(const std::filesystem::path& path, const Module& module);

}  // namespace sunmao
