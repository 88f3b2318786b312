// Front ends: convert a model file to a Module and its Weights, without Python or the framework that wrote it. Scripts
// are read by script/.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "frontend/custom_converter.h"
#include "frontend/model_builder.h"
#include "frontend/node_account.h"
#include "io/bytes.h"
#include "ir/module.h"
#include "ir/op.h"

namespace sunmao {

struct ReadOptions {
  /// Receives notes for the user about the model, such as unused weights.
  std::vector<std::string>* notes = nullptr;
  /// Receives the paths of files with external data.
  std::vector<std::string>* files = nullptr;
  /// Receives what became of each node; when reading fails, the nodes until then, whose fate is not known.
  std::vector<NodeAccount>* nodes = nullptr;
  /// Converters that go before the front end's own.
  CustomConverters custom = {};
  /// Modules with functions that are custom ops (frontend/op_functions.h); `custom` goes before them.
  std::vector<Module> custom_ops = {};
  ReturnForm returns = ReturnForm::Plain;
  /// Ranges that symbols of an ONNX model will have. What an op does may depend on whether a size is 1.
  std::map<std::string, Interval> dims = {};
  /// Random ops without a seed of their own draw from the state `random.seed`, which each run changes; else from
  /// constants.
  bool keep_state = false;
  /// Every initialiser of an ONNX model is a parameter, needed or not, what its nodes `Constant` give is a constant,
  /// and small values that follow from constants alone are computed; else both are parameters where the results need
  /// them and they are no scalars.
  bool keep_initializers = false;
  /// A model has the form that TVM's importers give it. PyTorch: what the program writes to is no further result,
  /// truths and floats that it returns are constants among the results, and products and convolutions of float32 state
  /// `out_dtype`. ONNX: inputs have the names that TVM gives them; a dimension whose name is a sum or another term of
  /// names that are dimensions, such as `past + 1`, is that term; else it is a symbol of its own, as exporters write
  /// such names where they do not hold in each call; what `auto_pad` of Conv adds is a call of its own.
  bool upstream_form = false;
};

/// Reads a `.pt2` archive of torch.export (any file that begins as a zip archive) or an ONNX model (any other with the
/// extension `.onnx`, or that begins as ONNX files do). The module has one function `main`. Its parameters are the
/// inputs (`num_input` of them), then the weights that its results need, in file order. `weights` holds the data by
/// parameter name, in the mapped file where possible. Attributes: `global_symbol`, `num_input`, those of
/// ir/source_names.h (inputs only where the names differ, outputs of ONNX, the nesting of a `.pt2` whose arguments or
/// results are more than tensors one by one), and `tir_var_lower_bound` and `tir_var_upper_bound` for symbols with
/// known ranges.
Model read_model(const std::filesystem::path& path, const OpTable& ops, const ReadOptions& options = {});

/// Read a model from memory. `name` is used in messages; `folder` contains external data, empty if there is none.
Model read_onnx(const io::Bytes& file, const std::string& name, const std::string& folder, const OpTable& ops,
                const ReadOptions& options = {});
Model read_torch(const io::Bytes& file, const std::string& name, const OpTable& ops, const ReadOptions& options = {});
/// Reads a program from the JSON that torch.export serialises it to, and its weights and constants by their names
/// there.
Model read_exported_program(const io::Bytes& graph, const Weights& weights, const std::string& name, const OpTable& ops,
                            const ReadOptions& options = {});

}  // namespace sunmao
