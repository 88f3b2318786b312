// Fuzzes the zip reader: any bytes are an error, or an archive of which every entry is found by its name and can be
// checked, with either outcome.
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
