#include "io/write_file.h"

#include "io/output_file.h"

namespace sunmao::io {

Status write_file_atomically(const std::string& path, const Chunks& chunks) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file.ok()) return file.status();
  uint64_t offset = 0;
  for (const Bytes& chunk : chunks) {
    SUNMAO_TRY(file->write_at(offset, chunk.span()));
    offset += chunk.size();
  }
  return file->commit();
}

}  // namespace sunmao::io
