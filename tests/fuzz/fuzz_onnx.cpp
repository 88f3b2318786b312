// Fuzzes the ONNX front end: any bytes give a model or an error with a code.
#include "frontend/frontend.h"
#include "frontend/onnx/converters.h"
#include "ops/ops.h"
#include "support/diagnostic.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/reached.h"

namespace {

using namespace sunmao;

fuzz::Reached& reached() {
  static fuzz::Reached counts([] {
    std::set<std::string> rows;
    for (const onnx::Converter& row : onnx::all_converters()) rows.insert(row.op);
    return rows;
  }());
  return counts;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<NodeAccount> nodes;
  try {
    read_onnx(io::Bytes::borrowed(std::as_bytes(std::span(data, size))), "fuzz", "", builtin_ops(), {.nodes = &nodes});
  } catch (const UserError&) {
  }
  reached().begin();
  reached().add(nodes);
  return 0;
}

bool fuzz_reached() { return reached().last(); }
void fuzz_report() { reached().report(); }
