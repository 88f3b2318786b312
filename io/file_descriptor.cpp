#include "io/file_descriptor.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "io/concat.h"

namespace sunmao::io {

namespace {

// O_NONBLOCK: opening a pipe must not wait for its writer; the flag has no effect on regular files.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

Status cannot_open(const std::string& path, int error) {
  return Status::error("E0801", concat("cannot open ", quoted(path), ": ", strerror(error)),
                       error == ENOENT ? "check the path; it is relative to the current folder" : "");
}

Status leaves_folder(const std::string& path, std::string_view why) {
  return Status::error(
      "E0805", concat("external data ", quoted(path), " ", why),
      "external data must stand beside the model or below, under a relative path; links may lead to what "
      "is there, or into the folder `blobs` of a hub's cache");
}

/// Splits a path into its components, omitting "." and empty ones.
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

std::string joined(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += concat(path.empty() ? "" : "/", part);
  return path;
}

bool is_folder(const std::string& path) {
  struct stat info{};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// The folder that may contain a model's files, and the relative path from it to the model's own folder.
struct ModelTree {
  std::string root;
  std::string way;
};

/// Returns `<root>` for a model in the cache of a model hub, where `<root>/snapshots/<revision>/…` contains links into
/// `<root>/blobs`; else the model's own folder. E0801 where there is no memory to tell.
Result<ModelTree> tree_of(const std::string& folder) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(folder.c_str(), nullptr), free);
  if (!real && errno == ENOMEM) return cannot_open(folder, errno);
  const std::vector<std::string> parts = real ? components(real.get()) : std::vector<std::string>();
  for (size_t i = parts.size(); i-- > 1;) {
    if (parts[i - 1] != "snapshots") continue;  // parts[i] is the revision
    const std::string root = "/" + joined({parts.begin(), parts.begin() + static_cast<ptrdiff_t>(i - 1)});
    if (is_folder(root + "/blobs"))
      return ModelTree{root, joined({parts.begin() + static_cast<ptrdiff_t>(i - 1), parts.end()}) + "/"};
  }
  return ModelTree{folder, ""};
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
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how)));
}

bool is_link(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 && S_ISLNK(info.st_mode);
}

/// Resolves the links in `path` below `folder`. Absent, with errno set, when a link is absolute or leads outside, or
/// there are too many.
std::optional<std::vector<std::string>> follow_links(int folder, const std::string& path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::vector<std::string> left = components(path), done;
  std::reverse(left.begin(), left.end());
  for (int links = 0; !left.empty();) {
    std::string part = std::move(left.back());
    left.pop_back();
    if (part == ".." && done.empty()) {
      errno = EXDEV;
      return std::nullopt;
    }
    if (part == "..") {
      done.pop_back();
      continue;
    }
    done.push_back(std::move(part));
    char target[PATH_MAX];
    const ssize_t length = readlinkat(folder, joined(done).c_str(), target, sizeof(target));
    if (length < 0) continue;  // not a link; a missing file is detected when it is opened
    const std::string_view link(target, static_cast<size_t>(length));
    if (link.starts_with('/') || ++links > kMostLinks) {
      errno = link.starts_with('/') ? EXDEV : ELOOP;
      return std::nullopt;
    }
    done.pop_back();
    const std::vector<std::string> parts = components(link);
    left.insert(left.end(), parts.rbegin(), parts.rend());
  }
  return done;
}

/// Fallback for openat2: resolves links first, then opens one folder at a time, so that no step leaves `folder`.
int open_step_by_step(int folder, const std::string& path) {
  const std::optional<std::vector<std::string>> resolved = follow_links(folder, path);
  if (!resolved) return -1;
  const std::vector<std::string>& parts = *resolved;
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
    const int kept = errno;  // close must not overwrite errno of the failed open
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
  const Result<ModelTree> tree = tree_of(folder.empty() ? "." : folder);
  if (!tree.ok()) return tree.status();
  const std::string way = tree->way + relative_path;
  const FileDescriptor base(open(tree->root.empty() ? "." : tree->root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!base.is_open()) return cannot_open(folder, errno);

  int fd = -1;
  if (options.use_openat2) fd = open_at_once(base.get(), way);
  // Kernels before 5.6 lack openat2, and some sandboxes forbid it.
  if (!options.use_openat2 || (fd < 0 && (errno == ENOSYS || errno == EPERM))) {
    fd = open_step_by_step(base.get(), way);
  }
  FileDescriptor file(fd);
  if (!file.is_open()) {
    const int error = errno;
    if (error == ELOOP || error == EXDEV)
      return leaves_folder(relative_path, "is a symbolic link that leads out of the model's folder");
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
