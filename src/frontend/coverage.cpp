#include "frontend/coverage.h"

#include <algorithm>
#include <tuple>

#include "frontend/onnx/converters.h"
#include "frontend/torch/converters.h"

namespace sunmao {

std::vector<CoverageRow> coverage_rows() {
  std::vector<CoverageRow> rows;
  for (const onnx::Converter& c : onnx::all_converters())
    rows.push_back({"onnx", c.op, c.since, c.becomes, c.restriction});
  for (const torch::Converter& c : torch::all_converters())
    rows.push_back({"torch", c.target, 0, c.becomes, c.restriction});
  std::ranges::sort(rows, {}, [](const CoverageRow& r) { return std::tie(r.front_end, r.op, r.since); });
  return rows;
}

}  // namespace sunmao
