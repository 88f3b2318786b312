// Writes a file so that a reader sees the old content or the new one, whole, and nothing else.
#pragma once
#include <string>

#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::io {

/// Writes to a temporary file in the same folder, syncs it, and renames it to `path`. When anything fails, the
/// temporary file goes and what stood at `path` stays. An existing file keeps its permission bits; a symbolic link at
/// `path` is followed.
Status write_file_atomically(const std::string& path, const Chunks& chunks);

}  // namespace sunmao::io
