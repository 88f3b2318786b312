// Fuzzes the zip reader: any bytes are rejected with an error, or give an archive whose entries can all be found by
// name. Checking an entry may succeed or fail.
#include "io/crc32.h"
#include "io/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunmao::io;
  const Result<ZipReader> zip = ZipReader::open(Bytes::borrowed(std::as_bytes(std::span(data, size))));
  if (!zip.ok()) return 0;
  for (const ZipEntry& entry : zip->entries()) {
    if (zip->find(entry.name) != &entry) __builtin_trap();
    static_cast<void>(zip->check(entry));
  }
  return 0;
}
