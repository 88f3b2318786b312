// Fuzzes the safetensors reader: any bytes are rejected with an error, or give tensors that are equal after writing and
// reading them.
#include "io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunmao::io;
  const Bytes file = Bytes::borrowed(std::as_bytes(std::span(data, size)));
  const Result<SafetensorsReader> first = SafetensorsReader::open(file);
  if (!first.ok()) return 0;
  const Result<Chunks> chunks = write_safetensors(first->tensors(), first->metadata());
  if (!chunks.ok()) __builtin_trap();
  const Result<SafetensorsReader> second = SafetensorsReader::open(join(*chunks));
  if (!second.ok() || second->tensors().size() != first->tensors().size()) __builtin_trap();
  for (size_t i = 0; i < first->tensors().size(); ++i) {
    if (first->tensors()[i].data.text() != second->tensors()[i].data.text()) __builtin_trap();
  }
  return 0;
}
