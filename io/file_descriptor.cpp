#include "io/file_descriptor.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "io/concat.h"

namespace sunmao::io {

namespace {

// Opening a pipe must not wait for its writer; for regular files the flag means nothing.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

Status cannot_open(const std::string& path, int error) {
  return Status::error("E0801", concat("cannot open ", quoted(path), ": ", strerror(error)),
                       error == ENOENT ? "check the path; it is relative to the current folder" : "");
}

Status leaves_folder(const std::string& path, std::string_view why) {
  return Status::error("E0805", concat("external data ", quoted(path), " ", why),
                       "external data must stand beside the model or below, as a real file under a relative path");
}

/// The parts of a path; "." and empty ones are left out.
std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

Status check_relative(const std::string& path) {
  if (path.empty()) return leaves_folder(path, "has an empty path");
  if (path.find('\0') != std::string::npos) return leaves_folder(path, "has a zero byte in its path");
  if (path[0] == '/') return leaves_folder(path, "has an absolute path");
  const std::vector<std::string> parts = components(path);
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return leaves_folder(path, "has `..` in its path");
  return {};
}

int open_at_once(int folder, const std::string& path) {
  open_how how{};
  how.flags = kReadFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how)));
}

bool is_link(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 && S_ISLNK(info.st_mode);
}

/// The same one step at a time. The path has no `..`, so every step goes down.
int open_step_by_step(int folder, const std::string& path) {
  const std::vector<std::string> parts = components(path);
  if (parts.empty()) return openat(folder, ".", kReadFlags);
  FileDescriptor at(openat(folder, ".", O_PATH | O_CLOEXEC));
  for (size_t i = 0; at.is_open() && i + 1 < parts.size(); ++i) {
    at = FileDescriptor(openat(at.get(), parts[i].c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!at.is_open() || !is_link(at.get())) continue;
    errno = ELOOP;
    return -1;
  }
  return at.is_open() ? openat(at.get(), parts.back().c_str(), kReadFlags | O_NOFOLLOW) : -1;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) {
    const int kept = errno;  // replacing a descriptor must not hide why the new one failed
    close(fd_);
    errno = kept;
  }
  fd_ = other.release();
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ < 0) return;
  const int kept = errno;
  close(fd_);
  errno = kept;
}

Result<FileDescriptor> open_for_reading(const std::string& path) {
  FileDescriptor file(open(path.c_str(), kReadFlags));
  if (!file.is_open()) return cannot_open(path, errno);
  return file;
}

Result<FileDescriptor> open_beneath(const std::string& folder, const std::string& relative_path,
                                    BeneathOptions options) {
  SUNMAO_TRY(check_relative(relative_path));
  const FileDescriptor base(open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!base.is_open()) return cannot_open(folder, errno);

  int fd = -1;
  if (options.use_openat2) fd = open_at_once(base.get(), relative_path);
  // Kernels before 5.6 do not know the call, and some sandboxes forbid it.
  if (!options.use_openat2 || (fd < 0 && (errno == ENOSYS || errno == EPERM))) {
    fd = open_step_by_step(base.get(), relative_path);
  }
  FileDescriptor file(fd);
  if (!file.is_open()) {
    const int error = errno;
    if (error == ELOOP || error == EXDEV) return leaves_folder(relative_path, "is reached through a symbolic link");
    return cannot_open(concat(folder, "/", relative_path), error);
  }
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return cannot_open(relative_path, errno);
  if (!S_ISREG(info.st_mode)) {
    return Status::error("E0802", concat("external data ", quoted(relative_path), " is not a regular file"));
  }
  if (info.st_nlink != 1) {
    return Status::error("E0806",
                         concat("external data ", quoted(relative_path), " has ", info.st_nlink, " names (hard links)"),
                         "a hard link can stand for any file of the machine; make a real copy of it beside the model");
  }
  return file;
}

}  // namespace sunmao::io
