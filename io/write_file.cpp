#include "io/write_file.h"

#include "io/output_file.h"

namespace sunmao::io {

namespace {

Result<OutputFile> written(const std::string& path, const Chunks& chunks) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file.ok()) return file;
  uint64_t offset = 0;
  for (const Bytes& chunk : chunks) {
    SUNMAO_TRY(file->write_at(offset, chunk.span()));
    offset += chunk.size();
  }
  return file;
}

}  // namespace

Status write_file_atomically(const std::string& path, const Chunks& chunks) {
  Result<OutputFile> file = written(path, chunks);
  return file.ok() ? file->commit() : file.status();
}

Status write_files_atomically(std::span<const FileContents> files) {
  std::vector<OutputFile> outputs;
  for (const auto& [path, chunks] : files) {
    Result<OutputFile> file = written(path, chunks);
    if (!file.ok()) return file.status();
    outputs.push_back(file.take());
  }
  return OutputFile::commit_together(outputs);
}

}  // namespace sunmao::io
