#include "io/output_file.h"

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

namespace sunmao::io {

namespace {

constexpr size_t kPage = 4096;               // the alignment of what is written past the page cache
constexpr size_t kStaged = size_t{1} << 22;  // bytes that are written past it at once
constexpr uint64_t kShareOfMemory = 10;      // `dirty_background_ratio` of Linux: 10 percent

uint64_t physical_memory() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) : UINT64_MAX;
}

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

/// Syncs the folder's entry to disk. File systems that cannot sync folders are tolerated.
void sync_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const FileDescriptor at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.is_open()) fsync(at.get());
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, OutputOptions options) {
  Result<std::string> resolved = real_path(path);
  if (!resolved.ok()) return resolved.status();
  OutputFile out(path, resolved.take());
  struct stat old{};
  out.replaces_ = stat(out.target_.c_str(), &old) == 0;
  if (out.replaces_ && !S_ISREG(old.st_mode)) {
    return Status::error("E0802", concat("cannot write ", quoted(path), ": it is there and is not a regular file"));
  }
  out.old_mode_ = old.st_mode & 0777;
  // mkstemp is not used, so that the umask determines the permissions as for any new file.
  static std::atomic<uint32_t> count = 0;
  do {
    out.temporary_ = concat(out.target_, ".", getpid(), "-", count.fetch_add(1), ".tmp");
    out.unfinished_ = UnfinishedFile(out.temporary_);
    out.file_ = FileDescriptor(open(out.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (!out.file_.is_open() && errno == EEXIST);
  if (!out.file_.is_open()) return cannot_write(path, "creating a file beside it", errno);
  if (options.size > physical_memory() / kShareOfMemory) out.open_past_cache();
  return out;
}

void OutputFile::open_past_cache() {
#if defined(O_DIRECT)
  void* memory = aligned_alloc(kPage, kStaged);
  if (memory == nullptr) return;
  staged_.reset(static_cast<std::byte*>(memory));
  direct_ = FileDescriptor(open(temporary_.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
#endif
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})),
      unfinished_(std::move(other.unfinished_)), old_(std::exchange(other.old_, {})),
      noted_old_(std::move(other.noted_old_)), file_(std::move(other.file_)), direct_(std::move(other.direct_)),
      staged_(std::move(other.staged_)), staged_begin_(other.staged_begin_), staged_size_(other.staged_size_),
      replaces_(other.replaces_), old_mode_(other.old_mode_) {}

OutputFile::~OutputFile() {
  if (file_.is_open() && !temporary_.empty()) unlink(temporary_.c_str());
}

Status OutputFile::failed(const char* step, int error) const { return cannot_write(path_, step, error); }

Status OutputFile::write_at(uint64_t offset, std::span<const std::byte> data) {
  return direct_.is_open() ? write_past_cache(offset, data) : write_through_cache(offset, data);
}

Status OutputFile::write_past_cache(uint64_t offset, std::span<const std::byte> data) {
  if (staged_size_ > 0 && offset != staged_begin_ + staged_size_) SUNMAO_TRY(flush());
  while (!data.empty()) {
    if (staged_size_ == 0 && offset % kPage != 0) {
      const size_t head = std::min<size_t>(data.size(), kPage - offset % kPage);
      SUNMAO_TRY(write_through_cache(offset, data.first(head)));
      offset += head;
      data = data.subspan(head);
      continue;
    }
    if (staged_size_ == 0) staged_begin_ = offset;
    const size_t size = std::min(data.size(), kStaged - staged_size_);
    memcpy(staged_.get() + staged_size_, data.data(), size);
    staged_size_ += size;
    offset += size;
    data = data.subspan(size);
    if (staged_size_ == kStaged) SUNMAO_TRY(flush());
  }
  return {};
}

/// Writes what is staged: whole pages past the cache, the rest through it. Everything goes through it where the file
/// system refuses the other way.
Status OutputFile::flush() {
  size_t done = 0;
  const size_t whole = staged_size_ / kPage * kPage;
  while (done < whole && direct_.is_open()) {
    const ssize_t written =
        pwrite(direct_.get(), staged_.get() + done, whole - done, static_cast<off_t>(staged_begin_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EINVAL) return failed("writing", errno);
    if (written < 0 || static_cast<size_t>(written) % kPage != 0) break;
    done += static_cast<size_t>(written);
  }
  const std::span<const std::byte> rest(staged_.get() + done, staged_size_ - done);
  staged_size_ = 0;
  return write_through_cache(staged_begin_ + done, rest);
}

Status OutputFile::write_through_cache(uint64_t offset, std::span<const std::byte> data) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;  // the kernel writes less than 2 GiB per call
  while (!data.empty()) {
    const ssize_t written =
        pwrite(file_.get(), data.data(), std::min(data.size(), kMostAtOnce), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("writing", errno);
    offset += static_cast<uint64_t>(written);
    data = data.subspan(static_cast<size_t>(written));
  }
  return {};
}

/// Brings the contents to the file, and to the disk.
Status OutputFile::complete(CommitOptions options) {
  SUNMAO_TRY(flush());
  if (replaces_ && fchmod(file_.get(), old_mode_) != 0) return failed("setting permissions", errno);
  if (options.sync && fsync(file_.get()) != 0) return failed("syncing", errno);
  return {};
}

Status OutputFile::take_place() {
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return failed("renaming", errno);
  temporary_.clear();
  unfinished_ = {};
  return {};
}

/// Gives what stands at the target a second name, unless the file system has none to give.
Status OutputFile::keep_old() {
  if (!replaces_) return {};
  old_ = concat(temporary_, ".old");
  noted_old_ = UnfinishedFile(old_);
  unlink(old_.c_str());
  if (link(target_.c_str(), old_.c_str()) == 0) return {};
  const int error = errno;
  old_.clear();
  noted_old_ = {};
  const bool has_no_links = error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
  return has_no_links ? Status() : failed("keeping what stands there", error);
}

/// Takes the file away from its place, where what stood there before comes back.
void OutputFile::give_back() {
  if (!replaces_)
    unlink(target_.c_str());
  else if (!old_.empty())
    rename(old_.c_str(), target_.c_str());
}

void OutputFile::forget_old() {
  if (!old_.empty()) unlink(old_.c_str());
  old_.clear();
  noted_old_ = {};
}

Status OutputFile::commit(CommitOptions options) {
  SUNMAO_TRY(complete(options));
  SUNMAO_TRY(take_place());
  if (options.sync) sync_folder_of(target_);
  return {};
}

Status OutputFile::commit_together(std::span<OutputFile> files, CommitOptions options) {
  for (OutputFile& file : files) SUNMAO_TRY(file.complete(options));
  Status status;
  size_t placed = 0;
  for (OutputFile& file : files)
    if (status.ok()) status = file.keep_old();
  while (status.ok() && placed < files.size()) {
    status = files[placed].take_place();
    if (status.ok()) ++placed;
  }
  if (!status.ok())
    while (placed > 0) files[--placed].give_back();
  for (OutputFile& file : files) file.forget_old();
  if (status.ok() && options.sync)
    for (const OutputFile& file : files) sync_folder_of(file.target_);
  return status;
}

}  // namespace sunmao::io
