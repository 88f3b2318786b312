// Fuzzes the PyTorch front end: any bytes, and any program text inside a valid archive, give a model or an error with a
// code.
#include "frontend/frontend.h"
#include "frontend/torch/converters.h"
#include "io/zip.h"
#include "ops/ops.h"
#include "support/diagnostic.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/reached.h"

namespace {

using namespace sunmao;

fuzz::Reached& reached() {
  static fuzz::Reached counts([] {
    std::set<std::string> rows;
    for (const torch::Converter& row : torch::all_converters()) rows.insert(row.target);
    return rows;
  }());
  return counts;
}

void read(const io::Bytes& archive) {
  std::vector<NodeAccount> nodes;
  try {
    read_torch(archive, "fuzz", builtin_ops(), {.nodes = &nodes});
  } catch (const UserError&) {
  }
  reached().add(nodes);
}

/// Returns a valid archive with `text` as its program, and data for two weights.
io::Bytes around(const io::Bytes& text) {
  static const std::string config =
      R"({"config":{"w":{"path_name":"weight_0","use_pickle":false,"tensor_meta":{"dtype":7,"sizes":[{"as_int":4},{"as_int":6}],)"
      R"("strides":[{"as_int":6},{"as_int":1}],"storage_offset":{"as_int":0},"layout":7}}}})";
  io::ZipWriter zip;
  bool ok = zip.add("m/archive_format", "pt2").ok() && zip.add("m/archive_version", "0").ok();
  ok = ok && zip.add("m/models/model.json", {text}).ok() &&
       zip.add("m/data/weights/weight_0", std::string(96, '\1')).ok();
  ok = ok && zip.add("m/data/weights/model_weights_config.json", config).ok();
  ok = ok && zip.add("m/data/constants/model_constants_config.json", "{}").ok();
  if (!ok) __builtin_trap();
  return io::join(std::move(zip).finish());
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const io::Bytes bytes = io::Bytes::borrowed(std::as_bytes(std::span(data, size)));
  reached().begin();
  bytes.text().starts_with("{") ? read(around(bytes)) : read(bytes);
  return 0;
}

bool fuzz_reached() { return reached().last(); }
void fuzz_report() { reached().report(); }
