// Atomic writing of files: a reader sees either the complete old or the complete new content.
#pragma once
#include <span>
#include <string>

#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::io {

/// Writes to a temporary file in the same folder, syncs it, and renames it to `path`. On failure the temporary file is
/// removed and `path` is unchanged. An existing file's permission bits are kept; a symbolic link at `path` is followed.
Status write_file_atomically(const std::string& path, const Chunks& chunks);

struct FileContents {
  std::string path;
  Chunks chunks;
};
/// Writes files that belong together: on failure all of them are as they were (see OutputFile::commit_together).
Status write_files_atomically(std::span<const FileContents> files);

}  // namespace sunmao::io
