// The coverage of the front ends: what the tables of converters read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sunmao {

struct CoverageRow {
  std::string front_end;  // "onnx" or "torch"
  std::string op;         // "Conv", "com.microsoft::Gelu", "aten.add.Tensor"
  int64_t since;          // the first opset of this form; 0 for PyTorch
  std::string becomes;
  std::string restriction;
};

/// Returns a row for each converter, by front end and op.
std::vector<CoverageRow> coverage_rows();

}  // namespace sunmao
