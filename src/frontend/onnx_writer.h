// A model as an ONNX file, where each of its ops has a counterpart there.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// What is written states this version of the operators of ONNX.
inline constexpr int64_t kWrittenOpset = 23;

struct OnnxFile {
  std::string bytes;
  std::string obstacle;  // why the model cannot be such a file; empty when it is one
};

/// Writes a model whose one graph-level function is `main`. Symbols that are dimensions of inputs are named dimensions.
/// What ONNX has no form for is lost: the ranges of symbols, and where a node comes from.
OnnxFile write_onnx(const Model& model);

struct OnnxWriterRow {
  std::string op;       // "nn.relu"
  std::string becomes;  // "Relu"
};

/// Returns a row for each op that has a counterpart, in the order of names.
std::vector<OnnxWriterRow> onnx_writer_rows();

}  // namespace sunmao
