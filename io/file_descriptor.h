// An owned POSIX file descriptor; and opening files whose names come out of a model.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "io/status.h"

namespace sunmao::io {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Opens for reading, close-on-exec; never waits (for a writer of a pipe, say).
Result<FileDescriptor> open_for_reading(const std::string& path);

struct BeneathOptions {
  bool use_openat2 = true;  // false walks the path one folder at a time, as on kernels without openat2
};

/// Opens the file `relative_path` of a model that stands in `folder`, where the path is hostile: no absolute path, no
/// `..`, and a regular file with one name only (a hard link could be anybody's file). Symbolic links may lead to what
/// is below `folder`, or, in the cache of a model hub (`<root>/snapshots/<revision>/…` beside `<root>/blobs`), below
/// `<root>`; absolute ones may not.
Result<FileDescriptor> open_beneath(const std::string& folder, const std::string& relative_path,
                                    BeneathOptions options = {});

}  // namespace sunmao::io
