// Front ends: a model file becomes a Module and its Weights, without Python and without the framework that wrote it.
// Scripts are not model files: their reader is script/.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "io/bytes.h"
#include "ir/module.h"
#include "ir/op.h"

namespace sunmao {

struct ReadOptions {
  /// Receives what the user may want to know of a model that was read: weights that nothing uses, for instance.
  std::vector<std::string>* notes = nullptr;
  /// Receives the paths of files with external data.
  std::vector<std::string>* files = nullptr;
};

/// Reads a `.pt2` archive of torch.export or an ONNX model; the content decides which. The module has one function,
/// `main`: first the inputs (`num_input` of them), then the weights in the order of the file, each of which `weights`
/// holds under its parameter's name, in place in the mapped file where it can be. The function's attributes are
/// `global_symbol`, `num_input`, `weight_names` (parameter to the file's name), `input_names` (likewise, where those
/// differ), `output_names` (of an ONNX model) and, for symbols with known ranges, `tir_var_lower_bound` and
/// `tir_var_upper_bound`.
Model read_model(const std::filesystem::path& path, const OpTable& ops, const ReadOptions& options = {});

/// Reads what is in memory already. `name` is for messages; `folder` is where external data stands, empty for none.
Model read_onnx(const io::Bytes& file, const std::string& name, const std::string& folder, const OpTable& ops,
                const ReadOptions& options = {});
Model read_torch(const io::Bytes& file, const std::string& name, const OpTable& ops, const ReadOptions& options = {});

}  // namespace sunmao
