// FileDescriptor: an owned POSIX file descriptor; and safe opening of files whose names a model contains.
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

/// Opens a file for reading, close-on-exec and without blocking (on a pipe without a writer, for instance).
Result<FileDescriptor> open_for_reading(const std::string& path);

struct BeneathOptions {
  bool use_openat2 = true;  // false opens one folder at a time, as on kernels without openat2
};

/// Opens the file `relative_path` of a model in `folder`, where the path is untrusted: it must be relative, without
/// `..`, and name a regular file with a single hard link. Symbolic links must be relative and stay below `folder`, or
/// in the cache of a model hub (`<root>/snapshots/<revision>/…` beside `<root>/blobs`) below `<root>`.
Result<FileDescriptor> open_beneath(const std::string& folder, const std::string& relative_path,
                                    BeneathOptions options = {});

}  // namespace sunmao::io
