#include "io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "io/concat.h"
#include "io/file_descriptor.h"

namespace sunmao::io {

namespace {

Status cannot_write(const std::string& path, const char* step, int error) {
  return Status::error("E0804", concat("cannot write ", quoted(path), ": ", step, ": ", strerror(error)),
                       error == ENOSPC ? "free some space; what stood there before is unchanged" : "");
}

/// Resolves symbolic links at `path`, so that renaming replaces the target rather than the link; returns `path` itself
/// when that fails, as for a new file, but not for lack of memory (E0804): that says nothing of links.
Result<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), free);
  if (resolved) return std::string(resolved.get());
  if (errno == ENOMEM) return cannot_write(path, "following links", errno);
  return path;
}

bool write_all(int fd, std::span<const std::byte> data) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;  // the kernel writes less than 2 GiB per call
  while (!data.empty()) {
    const ssize_t written = write(fd, data.data(), std::min(data.size(), kMostAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data = data.subspan(static_cast<size_t>(written));
  }
  return true;
}

/// Syncs the folder's entry to disk. File systems that cannot sync folders are tolerated.
void sync_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const FileDescriptor at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.is_open()) fsync(at.get());
}

/// A new file that is deleted on destruction unless it was renamed.
class TemporaryFile {
 public:
  /// mkstemp is not used, so that the umask determines the permissions as for any new file.
  explicit TemporaryFile(const std::string& target) {
    static std::atomic<uint32_t> count = 0;
    do {
      path_ = concat(target, ".", getpid(), "-", count.fetch_add(1), ".tmp");
      file_ = FileDescriptor(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (!file_.is_open() && errno == EEXIST);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_.is_open() && !is_renamed_) unlink(path_.c_str());
  }

  int fd() const { return file_.get(); }
  bool rename_to(const std::string& target) { return is_renamed_ = rename(path_.c_str(), target.c_str()) == 0; }

 private:
  std::string path_;
  FileDescriptor file_;
  bool is_renamed_ = false;
};

}  // namespace

Status write_file_atomically(const std::string& path, const Chunks& chunks) {
  const Result<std::string> resolved = real_path(path);
  if (!resolved.ok()) return resolved.status();
  const std::string& target = *resolved;
  struct stat old{};
  const bool replaces = stat(target.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode)) {
    return Status::error("E0802", concat("cannot write ", quoted(path), ": it is there and is not a regular file"));
  }
  TemporaryFile file(target);
  if (file.fd() < 0) return cannot_write(path, "creating a file beside it", errno);
  for (const Bytes& chunk : chunks) {
    if (!write_all(file.fd(), chunk.span())) return cannot_write(path, "writing", errno);
  }
  if (replaces && fchmod(file.fd(), old.st_mode & 0777) != 0) return cannot_write(path, "setting permissions", errno);
  if (fsync(file.fd()) != 0) return cannot_write(path, "syncing", errno);
  if (!file.rename_to(target)) return cannot_write(path, "renaming", errno);
  sync_folder_of(target);
  return {};
}

}  // namespace sunmao::io
