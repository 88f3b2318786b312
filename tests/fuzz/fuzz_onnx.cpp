// Fuzzes the ONNX front end: any bytes give a model or an error with a code.
#include "frontend/frontend.h"
#include "ops/ops.h"
#include "support/diagnostic.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunmao;
  try {
    read_onnx(io::Bytes::borrowed(std::as_bytes(std::span(data, size))), "fuzz", "", builtin_ops());
  } catch (const UserError&) {
  }
  return 0;
}
